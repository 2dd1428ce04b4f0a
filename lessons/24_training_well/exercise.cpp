// Exercise 24: stop a training in time, choose among several, and report a loss that can be believed. What you may look
// at, and how often, is all there is to it.
//
// make exercise-24 says the first thing that is wrong; make hint L=24 gives a hint, then another, then a solution.
#include <limits>
#include <vector>

/// A training that waits for you to say when it goes on, what is kept, and when it is evaluated.
struct Training {
  virtual ~Training() = default;
  virtual bool step() = 0;               // makes a step; false if there are no more
  virtual double validation_loss() = 0;  // of the weights as they are now
  virtual double held_out_loss() = 0;    // the same, on the names in the envelope
  virtual void keep() = 0;               // remembers the weights as they are now
  virtual void back_to_kept() = 0;       // the weights are again as they were at the last keep()
};

/// What is published about the recipe that was chosen.
struct Report {
  std::size_t recipe;  // its place in the list
  double validation_loss, held_out_loss;
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Early stopping. Asks for the validation loss after every step, and stops when `patience` answers in a row were no
/// new lowest, or when there are no more steps. Leaves the weights that had the lowest loss, and returns it.
double train_until_worse([[maybe_unused]] Training& training, [[maybe_unused]] int patience) {
  return 0;  // TODO
}

/// Trains every recipe with train_until_worse(), with a patience of 3, and chooses one.
Report choose([[maybe_unused]] const std::vector<Training*>& recipes) {
  return {};  // TODO: by which loss? And whose held-out loss is asked for?
}
#endif

#include "exercise_tests.h"
