// Exercise NN: TODO: the lesson's idea, and what to do with it.
//
//   make exercise-NN    fails until extended() is right, and hints at what is missing
//   make solution-NN    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#ifdef SOLUTION
#include "solution.cpp"
#else
/// TODO: what it returns.
double extended(double x) {
  // TODO: this is x. What should it be?
  return x;
}
#endif

TEST_CASE("TODO: a claim about the extended idea") {
  INFO("hint: TODO");
  CHECK(extended(2) == 4);
}
