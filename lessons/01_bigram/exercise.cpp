// Exercise 01: see two characters instead of one. A table of triples has 27 times as many cells, most of them empty.
// What should it believe where it has seen nothing?
//
// make exercise-01 says the first thing that is wrong; make hint L=01 gives a hint, then another, then a solution.
#include <vector>

using Row = std::vector<double>;  // a number for each token that can come next, (V)

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The probabilities of what comes next, if these are the counts of what came so far. Before it has seen anything, the
/// model believes `prior`, which adds up to 1. It believes it as firmly as if it had seen `strength` examples that were
/// spread like the prior.
///
/// Lesson 01 adds one to every count. That is this rule, too: with which prior, and with which strength?
Row probabilities(const Row& counts, [[maybe_unused]] const Row& prior, [[maybe_unused]] double strength) {
  return Row(counts.size());  // TODO
}
#endif

#include "exercise_tests.h"
