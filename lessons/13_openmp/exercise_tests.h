// The tests of exercise 13: who worked, who shared what, and whether the bits depend on it.
#pragma once

#include "lesson/teach.h"

using namespace teach;

inline void use_threads([[maybe_unused]] int n) {
#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_num_threads(n);
#endif
}

/// Numbers that look random, the same on every machine.
inline std::vector<float> waves(std::size_t n, double start) {
  std::vector<float> x(n);
  for (float& number : x) number = static_cast<float>(std::sin(start += 1.7));
  return x;
}

inline void test_threads() {
  const Batch a{waves(B * T * H * D, 1), waves(B * T * H * D, 2), waves(B * T * H * D, 3)};
  std::vector<float> want(B * T * H * D), want_sums(B);
  for (std::size_t b = 0; b < B; b++) {
    Scratch scratch;
    for (std::size_t h = 0; h < H; h++) want_sums[b] += look(a, b, h, scratch, want);
  }
  for (const int threads : {1, 2, 5, 8}) {
    const std::string run = "look_everywhere() of 6 names with 4 heads, on " + std::to_string(threads) + " threads";
    use_threads(threads);
    alone = false;
    std::vector<float> out(want.size());
    std::vector<Sum> sums(B);
    calling(run, "Did two threads write the same place?");
    look_everywhere(a, out, sums);
    if (scratch_is_shared) {
      fail(run + ": two threads used the same Scratch at the same time.",
           "That is a race: one writes its weights where the other still reads. Declare it inside the parallel loop: "
           "then each thread has its own.");
    }
#ifdef _OPENMP
    if (threads > 1 && alone) {
      fail(run + ": only one of them worked.", "Which loop can be shared? #pragma omp parallel for   stands above it.");
    }
#endif
    for (std::size_t b = 0; b < B; b++) {
      if (sums[b].owner.is_shared()) {
        fail(run + ": two threads added to the sum of name " + std::to_string(b) + ".",
             "That is a race, and even one at a time their order would change the bits. One number, one owner: let a "
             "thread have all heads of a name. (Without for, parallel makes every thread do all of them.)");
      }
      calling(run + ": the sum of a name", "It is the sum of its heads, in their order, each of them once.");
      should_be(sums[b].value, {want_sums[b]}, 0);
    }
  }
}

inline void test_sum() {
  for (const int threads : {1, 2, 3, 8}) {
    use_threads(threads);
    for (const std::size_t n : {0, 1, 64, 65, 1000, 1'000'000}) {
      const std::vector<float> x = waves(n, 4);
      float want = 0;
      for (std::size_t first = 0; first < n; first += 64) {
        want += std::accumulate(x.data() + first, x.data() + std::min(n, first + 64), 0.0F);
      }
      calling("sum() of " + std::to_string(n) + " numbers, in blocks of 64, on " + std::to_string(threads) + " threads",
              "Each block gets a place of its own for its sum, a float; the last may be shorter. With a reduction, "
              "numbers are cut where the threads' shares end; with critical, blocks are added in any order; from 0.0, "
              "accumulate() adds doubles. Without for, every thread adds all.");
      usual({0}, "From 0, accumulate() adds whole numbers: 0.0F. Or is a block with fewer than 64 numbers left out?");
      should_be(sum(x), {want}, 0);
    }
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_threads, test_sum}); }
