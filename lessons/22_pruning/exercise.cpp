// Exercise 22: what is a head worth? Alone, each head of the copier costs a hundredth or two. Together they cost more
// than 2. So the numbers of one ranking do not add up to anything. There is one way to share the whole among the heads
// that is fair: let them leave in a row, and write down what the loss grows by when each one goes. Who goes late pays
// more. So do it in every possible order, and take the mean for each head (Lloyd Shapley, 1953; he shared the gains of
// a game among its players).
//
// make exercise-22 says the first thing that is wrong; make hint L=22 gives a hint, then another, then a solution.
#include <bit>
#include <vector>

/// The loss of a model of n heads without some of them: 2^n numbers. Those heads are out whose bit is set in the index.
/// losses[0] is the loss with all heads, losses[5] that without the heads 0 and 2.
using Losses = std::vector<double>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What each of the n heads is worth: by how much the loss grows when it goes, on average over all orders in which the
/// n heads can go.
std::vector<double> worth(const Losses& losses) {
  std::vector<double> heads;  // TODO: this is what each costs alone. In how many orders does it go first?
  for (std::size_t bit = 1; bit < losses.size(); bit *= 2) heads.push_back(losses[bit] - losses[0]);
  return heads;
}
#endif

#include "exercise_tests.h"
