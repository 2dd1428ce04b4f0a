// Exercise 04: a gradient is a sum over all paths from the loss down to a leaf. How many paths are there? In a graph of
// 60 diamonds there are 2^60, and nobody can walk them all. backward() does not, either.
//
// make exercise-04 says the first thing that is wrong; make hint L=04 gives a hint, then another, then a solution.
#include "tape.h"

using namespace lesson04;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// How many paths there are from `root` down to a leaf, along edges. It looks at each node once, and does not call
/// itself: all nodes are on the tape, tape.nodes[0] to tape.nodes[tape.nodes.used - 1]. There may be more paths than a
/// whole number can hold, so it is a double.
double count_paths([[maybe_unused]] Value root) {
  return 0;  // TODO
}
#endif

#include "exercise_tests.h"
