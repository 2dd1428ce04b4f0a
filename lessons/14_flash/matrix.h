// The usual way, to compare with: attention with its whole matrix in memory, in five passes over it. It has the same
// vectors and products as src/tensor/flash.cpp, and it skips the keys that a query does not see, too.
#pragma once

#include <algorithm>
#include <limits>

#include "head.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"

namespace microgpt {

template <class T>
class WholeMatrix {
 public:
  explicit WholeMatrix(std::size_t positions) : weights_(positions, positions), dweights_(positions, positions) {}

  /// Sets out and log_sum.
  void forward(Head<T>& head) {
    transpose(keys_t_, head.k.view());
    each_rows([&](std::size_t t, std::size_t n) {
      product(of(weights_, t, n), head.q.view().slice_rows(t, n), keys_t_.view().slice_cols(0, t + n));
    });
    each_rows([&](std::size_t t, std::size_t n) {
      for (std::size_t i = t; i < t + n; i++) {
        head.log_sum.view().data[i] = softmax(weights_.view().row(i), i + 1, t + n, static_cast<T>(head.scale));
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
    transpose(values_t_, head.v.view());
    each_rows([&](std::size_t t, std::size_t n) {
      product(of(dweights_, t, n), head.dout.view().slice_rows(t, n), values_t_.view().slice_cols(0, t + n));
    });
    each_rows([&](std::size_t t, std::size_t n) {
      for (std::size_t i = t; i < t + n; i++) {
        const T delta = dot(head.dout.view().row(i), head.out.view().row(i), head.q.view().cols);
        scores_back(dweights_.view().row(i), weights_.view().row(i), delta, t + n, static_cast<T>(head.scale));
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
    for (std::size_t t = 0; t < weights_.view().rows; t += 64) {
      work(t, std::min<std::size_t>(64, weights_.view().rows - t));
    }
  }

  /// The rows of n queries, up to the last key that one of them sees.
  static View<T> of(Tensor<T>& matrix, std::size_t t, std::size_t n) {
    return matrix.view().slice_rows(t, n).slice_cols(0, t + n);
  }

  static void transpose(Tensor<T>& to, View<const T> x) {
    to.resize(x.cols, x.rows);
    microgpt::transpose(to.view(), x);
  }

  /// c = a b.
  static void product(View<T> c, View<const T> a, View<const T> b) {
    matmul(c, a, b);
    moved += a.rows * a.cols + b.rows * b.cols + c.rows * c.cols;
    products += a.rows * a.cols * b.cols;
  }

  /// The first rows of c += a^T b.
  static void add_transposed(View<T> c, View<T> a, View<const T> b) {
    matmul_add(c.slice_rows(0, a.cols), microgpt::transposed(a), b);
    moved += a.rows * a.cols + b.rows * b.cols + 2 * a.cols * c.cols;
    products += a.rows * a.cols * b.cols;
  }

  /// Makes weights of the first `visible` of n scores, and zeros of the others. Returns the logarithm of the sum.
  static T softmax(T* row, std::size_t visible, std::size_t n, T scale) {
    std::fill(row + visible, row + padded<T>(n), -std::numeric_limits<T>::infinity());
    Vector<T> largest = load(row);
    for (std::size_t s = 0; s < n; s += lanes<T>) largest = max<T>(largest, load(row + s));
    const T most = max<T>(largest);
    Vector<T> sums{};
    for (std::size_t s = 0; s < n; s += lanes<T>) {
      const Vector<T> weight = exp<T>((load(row + s) - most) * scale);
      store(row + s, weight);
      sums += weight;
    }
    const T total = sum<T>(sums);
    for (std::size_t s = 0; s < n; s += lanes<T>) store(row + s, load(row + s) / total);
    exps += visible;
    return most * scale + std::log(total);
  }

  /// Makes dscores of n dweights, in their place.
  static void scores_back(T* row, const T* weights, T delta, std::size_t n, T scale) {
    for (std::size_t s = 0; s < n; s += lanes<T>) store(row + s, load(weights + s) * (load(row + s) - delta) * scale);
  }

  Tensor<T> weights_, dweights_;  // (T,T) of them, and there is one pair for each head of each layer
  Tensor<T> keys_t_, values_t_;   // (D,T)
};

}  // namespace microgpt
