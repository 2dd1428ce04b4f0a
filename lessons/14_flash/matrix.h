// The usual way, to compare with: attention with its whole matrix in memory, in five passes over it. It has the same
// vectors and products as src/tensor/flash.cpp, and it skips the keys that a query does not see, too.
#pragma once

#include "head.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"

namespace microgpt {

template <class T>
class WholeMatrix {
 public:
  explicit WholeMatrix(const Head<T>& head)
      : weights_(head.length, head.length), dweights_(head.length, head.length), columns_(head.D, head.length) {}

  /// Sets out and log_sum.
  void forward(Head<T>& head) {
    const auto scale = static_cast<T>(head.scale);
    transpose(columns_.view(), head.k.view());
    each_rows([&](std::size_t t, std::size_t n) {
      product(of(weights_, t, n), head.q.view().slice_rows(t, n), columns_.view().slice_cols(0, t + n));
    });
    each_rows([&](std::size_t t, std::size_t n) {
      for (std::size_t i = t; i < t + n; i++) {  // it sees the keys 0 to i; later ones get a weight of 0
        T* const row = weights_.view().row(i);
        std::fill(row + i + 1, row + padded<T>(t + n), -std::numeric_limits<T>::infinity());
        Vector<T> largest = load(row);
        for (std::size_t s = 0; s < t + n; s += lanes<T>) largest = max<T>(largest, load(row + s));
        const T most = max<T>(largest);
        Vector<T> sums{};
        for (std::size_t s = 0; s < t + n; s += lanes<T>) {
          const Vector<T> weight = exp<T>((load(row + s) - most) * scale);
          store(row + s, weight);
          sums += weight;
        }
        const T total = sum<T>(sums);
        for (std::size_t s = 0; s < t + n; s += lanes<T>) store(row + s, load(row + s) / total);
        head.log_sum.view().data[i] = most * scale + std::log(total);
        exps += i + 1;
      }
      moved += 2 * n * (t + n);
    });
    each_rows([&](std::size_t t, std::size_t n) {
      product(head.out.view().slice_rows(t, n), of(weights_, t, n), head.v.view().slice_rows(0, t + n));
    });
  }

  /// Sets dq, dk and dv.
  void backward(Head<T>& head) {
    set_zero(head.dk.view());
    set_zero(head.dv.view());
    transpose(columns_.view(), head.v.view());
    each_rows([&](std::size_t t, std::size_t n) {
      product(of(dweights_, t, n), head.dout.view().slice_rows(t, n), columns_.view().slice_cols(0, t + n));
    });
    each_rows([&](std::size_t t, std::size_t n) {
      for (std::size_t i = t; i < t + n; i++) {  // dscores take the place of dweights
        const T* const weights = weights_.view().row(i);
        T* const row = dweights_.view().row(i);
        const T delta = dot(head.dout.view().row(i), head.out.view().row(i), head.D);
        for (std::size_t s = 0; s < t + n; s += lanes<T>) {
          store(row + s, load(weights + s) * (load(row + s) - delta) * static_cast<T>(head.scale));
        }
      }
      moved += 3 * n * (t + n);
    });
    each_rows([&](std::size_t t, std::size_t n) {
      product(head.dq.view().slice_rows(t, n), of(dweights_, t, n), head.k.view().slice_rows(0, t + n));
      add_transposed(head.dk.view(), of(dweights_, t, n), head.q.view().slice_rows(t, n));
      add_transposed(head.dv.view(), of(weights_, t, n), head.dout.view().slice_rows(t, n));
    });
  }

 private:
  /// Takes 64 queries at a time, from query t on.
  template <class Work>
  void each_rows(Work work) {
    const std::size_t length = weights_.view().rows;
    for (std::size_t t = 0; t < length; t += 64) work(t, std::min<std::size_t>(64, length - t));
  }

  /// The rows of n queries, up to the last key that one of them sees.
  static View<T> of(Tensor<T>& matrix, std::size_t t, std::size_t n) {
    return matrix.view().slice_rows(t, n).slice_cols(0, t + n);
  }

  /// c = a b.
  static void product(View<T> c, View<const T> a, View<const T> b) {
    matmul(c, a, b);
    moved += a.rows * a.cols + b.rows * b.cols + c.rows * c.cols;
    products += a.rows * a.cols * b.cols;
  }

  /// The first rows of c += a^T b.
  static void add_transposed(View<T> c, View<T> a, View<const T> b) {
    matmul_add(c.slice_rows(0, a.cols), transposed(a), b);
    moved += a.rows * a.cols + b.rows * b.cols + 2 * a.cols * c.cols;
    products += a.rows * a.cols * b.cols;
  }

  Tensor<T> weights_, dweights_;  // (T,T) of them, and there is one pair for each head of each layer
  Tensor<T> columns_;             // (D,T) keys or values
};

}  // namespace microgpt
