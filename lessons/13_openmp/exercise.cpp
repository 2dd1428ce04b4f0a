// Exercise 13: two loops on several threads. The first has to be made parallel, with a pragma: which loop, and what
// must a thread have for itself? The second is parallel already, has no race, and is wrong.
//
// make exercise-13 says the first thing that is wrong; make hint L=13 gives a hint, then another, then a solution.
#include "exercise.h"

#include <algorithm>
#include <numeric>

#ifdef SOLUTION
#include "solution.cpp"
#else
/// All heads look, in all names; sums[b] gets what name b's looks return, in the order of its heads, added
/// by one thread. The result must have the same bits for any number of threads.
void look_everywhere(const Batch& a, std::vector<float>& out, std::vector<Sum>& sums) {
  Scratch scratch;
  for (std::size_t b = 0; b < B; b++) {  // TODO: several threads
    for (std::size_t h = 0; h < H; h++) sums[b] += look(a, b, h, scratch, out);
  }
}

/// The sum of all numbers by several threads, with the same bits for any number of them: each block of 64 numbers is
/// summed as floats, from left to right (the last may be shorter), and then the blocks' sums, from left to right, too.
float sum(const std::vector<float>& x) {
  float total = 0;  // TODO: reduction gives each thread a total of its own, and adds these up. What depends on what?
#pragma omp parallel for reduction(+ : total)
  for (std::size_t i = 0; i < x.size(); i++) total += x[i];
  return total;
}
#endif

#include "exercise_tests.h"
