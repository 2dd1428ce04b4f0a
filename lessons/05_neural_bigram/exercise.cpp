// Exercise 05: a batch. One name is a noisy witness of where downhill is. Ask several, and follow the mean of what they
// say. Is that worth its price?
//
// make exercise-05 says the first thing that is wrong; make hint L=05 gives a hint, then another, then a solution.
#include <vector>

#include "lesson/mlp.h"
#include "microgpt.h"

using namespace microgpt;

using Name = std::vector<Token>;  // BOS, letters, BOS

#ifdef SOLUTION
#include "solution.cpp"
#else
/// One step of training. Its loss is the mean of the losses of these names: document_loss(model, name), each name
/// counting the same. Every parameter moves against its gradient, which is then set back to 0. Returns the loss.
double train_step([[maybe_unused]] const Mlp& model, [[maybe_unused]] std::span<const Name> batch,
                  [[maybe_unused]] double learning_rate) {
  return 0;  // TODO
}
#endif

#include "exercise_tests.h"
