// Exercise 23: what the root does, done by other means. A model without the root has a twin with the root that does the
// same, step by step, if its W_Q starts larger and is learnt faster. So the root does two things. Once yours is right,
// you see which of the two a wide head needs.
//
// make exercise-23 says the first thing that is wrong; make hint L=23 gives a hint, then another, then a solution.
#include <cmath>

#include "base/config.h"

using namespace microgpt;

/// The twin has the root. How it follows the model without it; nothing else of the two differs.
struct Twin {
  double start;  // its W_Q starts this many times as large
  double rate;   // and its W_Q is learnt with a learning rate this many times as large
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The twin of a model whose heads have D numbers. The optimizer is OptimizerName::sgd, where a step is the learning
/// rate times the gradient, or OptimizerName::adam (lesson 09).
Twin twin_of([[maybe_unused]] OptimizerName optimizer, [[maybe_unused]] std::size_t D) {
  return {1, 1};  // TODO: for the same score, how large must W_Q be? To stay the same after a step, how far must it go?
}
#endif

#include "exercise_tests.h"
