// Lesson NN: TODO: the idea in a sentence or two.
#include <fmt/format.h>

#include "lesson/lesson.h"

using namespace microgpt;

/// TODO: the idea, written out; every earlier one comes from src.
double idea(double x) {
  const double twice = 2 * x;
  return twice;  // stop: idea
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  fmt::print("\nthe idea makes {} of 21\n", idea(21));
  lesson.check("TODO: the idea does what that of src does", idea(21) == 42);
  lesson.check("TODO: so it does with other sizes", idea(1.5) == 3);
  return lesson.finish();
}
