// Exercise 19: few keys that lead everywhere. A window of 3 needs 32 layers to carry a letter across 64 positions,
// since it comes 2 positions further in each layer. A stride gets further, but its number of keys grows with the text.
// There is a pattern in which position t sees about as many keys as t has binary digits, and as many layers are enough
// to hear of everything (Li and others, 2019). Find it; then look at what it does not save.
//
// make exercise-19 says the first thing that is wrong; make hint L=19 gives a hint, then another, then a solution.
#include <bit>
#include <cstddef>

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Whether position t sees position s.
bool sees(std::size_t t, std::size_t s) {
  return s <= t && t - s < 2;  // TODO: this is a window of 2
}
#endif

#include "exercise_tests.h"
