// Exercise 07: a whole name at once. main.cpp looks back one position at a time, and what comes later does not exist
// yet. Programs for large machines compute all positions together. Then later keys are there from the start, and a mask
// must hide them. Each position must still find what it would have found alone.
//
// make exercise-07 says the first thing that is wrong; make hint L=07 gives a hint, then another, then a solution.
#include "microgpt.h"

using namespace microgpt;

using Lists = std::vector<Values>;  // a list of D numbers for each position

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What each position finds, (n,D): position t looks at the positions 0 to t, and at no others.
Lists attend_all([[maybe_unused]] const Lists& queries, [[maybe_unused]] const Lists& keys, const Lists& values) {
  return values;  // TODO
}
#endif

#include "exercise_tests.h"
