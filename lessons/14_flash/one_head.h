// The inputs and outputs of one attention head, and a comparison of two results.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/python_random.h"
#include "tensor/kernels.h"
#include "tensor/tensor.h"

namespace microgpt {

template <class T>
struct OneHead {
  OneHead(std::size_t positions, std::size_t D) : scale(1 / std::sqrt(static_cast<double>(D))) {
    for (Tensor<T>* x : {&q, &k, &v, &dout, &out, &dq, &dk, &dv}) x->resize(positions, D);
    log_sum.resize(1, positions);
  }

  /// Fills the inputs with random numbers, so that scores are about `size`.
  void draw(PythonRandom random, double size) {
    for (Tensor<T>* x : {&q, &k, &v, &dout}) {
      const View<T> numbers = x->view();
      for (std::size_t t = 0; t < numbers.rows; t++) {
        std::generate_n(numbers.row(t), numbers.cols, [&] { return random.gauss(0, x == &q ? size : 1); });
      }
    }
  }

  /// These call a kernel of src/tensor.
  void forward(decltype(Kernels<T>::attention_forward) kernel, const Mask& mask = Mask::causal()) {
    kernel(out.view(), log_sum.view(), call(mask));
  }
  void backward(decltype(Kernels<T>::attention_backward) kernel, const Mask& mask = Mask::causal()) {
    kernel({dq.view(), dk.view(), dv.view()}, dout.view(), out.view(), log_sum.view(), call(mask));
  }

  AttentionCall<T> call(const Mask& mask) const {
    return {.q = q.view(), .k = k.view(), .v = v.view(), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
  }

  double scale;                        // of the scores: 1 / sqrt(D)
  Tensor<T> q, k, v, dout;             // (positions,D)
  Tensor<T> out, dq, dk, dv, log_sum;  // (positions,D), log_sum (1,positions)
};

/// Whether every number of a is within `tolerance` of b's, relative to the largest number of b.
inline bool agree(View<const double> a, View<const double> b, double tolerance) {
  double size = 0;
  for (std::size_t i = 0; i < b.rows; i++) {
    for (std::size_t j = 0; j < b.cols; j++) size = std::max(size, std::abs(b.row(i)[j]));
  }
  for (std::size_t i = 0; i < b.rows; i++) {
    for (std::size_t j = 0; j < b.cols; j++) {
      const double difference = std::abs(a.row(i)[j] - b.row(i)[j]);
      if (!(difference <= tolerance * size)) return false;  // also if it is NaN
    }
  }
  return true;
}

}  // namespace microgpt
