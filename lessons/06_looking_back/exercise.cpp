// Exercise 06: the one who asks has a say. In the third puzzle of the lesson two letters are marked, and the sign at
// the end says which one is meant. One score for each sign cannot know who asks. So here is a table of scores, with a
// row for the sign that asks. Scores by distance are there, too: a good way to look back knows both.
//
// make exercise-06 says the first thing that is wrong; make hint L=06 gives a hint, then another, then a solution.
#include "lesson/puzzle.h"

using namespace microgpt;

struct Scores {
  Matrix pairs;   // (V,V): pairs[asks][before], how interesting a letter is to the sign that asks, by what is before it
  List distance;  // (16): how interesting it is by how far back it stands; 0 is the newest
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// A weight for everything seen, the oldest first. The last sign seen is the one that asks. What stands first has
/// nothing before it: the table has no score for it, so only its distance counts.
Values weigh([[maybe_unused]] const Scores& scores, std::span<const Token> seen) {
  const double n = seen.size();
  return Values(seen.size(), [&](std::size_t) { return 1 / n; });  // TODO: this is the plain average
}
#endif

#include "exercise_tests.h"
