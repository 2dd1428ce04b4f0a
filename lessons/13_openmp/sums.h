// What happens where threads share a sum: its bits depend on how many they are, or it is a race.
#pragma once

#include <fmt/core.h>

#include <numeric>
#include <vector>

#include "base/python_random.h"
#include "compare.h"
#include "tensor/kernels.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"

namespace microgpt {

/// Each share is summed by itself, then their sums are.
inline float sum_in_shares(const std::vector<float>& numbers, std::size_t shares) {
  float total = 0;
  for (std::size_t s = 0; s < shares; s++) {
    const Share part = share(numbers.size(), s, shares);
    const float* const first = numbers.data() + part.first;
    total += std::accumulate(first, first + part.n, 0.0F);
  }
  return total;
}

/// Adds what some positions contribute to some rows of dW = dy^T x, (n_out,n_in).
inline void add_to(View<float> dw, Share rows, Share positions, View<const float> dy, View<const float> x) {
  for (std::size_t n = positions.first; n < positions.first + positions.n; n++) {
    for (std::size_t i = rows.first; i < rows.first + rows.n; i++) {
      for (std::size_t j = 0; j < dw.cols; j++) dw.row(i)[j] += dy.row(n)[i] * x.row(n)[j];
    }
  }
}

/// dW, where each thread owns some of its rows.
inline void gradient_by_rows(View<float> dw, View<const float> dy, View<const float> x, std::size_t shares) {
  set_zero(dw);
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t s = 0; s < shares; s++) add_to(dw, share(dw.rows, s, shares), {0, x.rows}, dy, x);
}

/// dW, where each thread takes some of the positions: into a dW of its own, and in the end these are added up.
inline void gradient_by_positions(View<float> dw, View<const float> dy, View<const float> x, std::size_t shares) {
  std::vector<Tensor<float>> own(shares, Tensor<float>(dw.rows, dw.cols));
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t s = 0; s < shares; s++) add_to(own[s].view(), {0, dw.rows}, share(x.rows, s, shares), dy, x);
  set_zero(dw);
  for (const Tensor<float>& part : own) naive<float>().add_forward(dw, dw, part.view());
}

/// The same without their own: all add into one dW, a data race.
inline void gradient_with_race(View<float> dw, View<const float> dy, View<const float> x, std::size_t shares) {
  set_zero(dw);
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t s = 0; s < shares; s++) add_to(dw, {0, dw.rows}, share(x.rows, s, shares), dy, x);
}

/// Whole numbers, whose sum is exact in any order: what is wrong here, was lost.
inline void race(PythonRandom& random) {
  Tensor<float> x(2000, 16), dy(2000, 16), dw(16, 16), right(16, 16);
  for (const View<float> numbers : {x.view(), dy.view()}) fill(numbers, [&] { return random.below(4); });
  gradient_by_rows(right.view(), dy.view(), x.view(), 2);
  int wrong = 0;
  for (int run = 0; run < 200; run++) {
    gradient_with_race(dw.view(), dy.view(), x.view(), 2);
    wrong += same_bits(dw.view(), right.view()) ? 0 : 1;
  }
  fmt::print("two threads added into one dW: wrong in {} of 200 runs\n", wrong);
}

}  // namespace microgpt
