// One attention head in memory, and what is near the arithmetic: rows are read into a tile, used there, and written
// back. What moves is counted, and so is what is computed.
#pragma once

#include "lesson/array.h"
#include "lesson/lesson.h"
#include "tensor/kernels.h"

namespace microgpt {

inline std::size_t moved;           // numbers read from memory or written to it so far
inline std::size_t products, exps;  // how many were computed so far

inline double dot(const double* a, const double* b, std::size_t n) {
  products += n;
  double total = 0;
  for (std::size_t j = 0; j < n; j++) total += a[j] * b[j];
  return total;
}

/// to += factor * x.
inline void add(double* to, double factor, const double* x, std::size_t n) {
  products += n;
  for (std::size_t j = 0; j < n; j++) to[j] += factor * x[j];
}

inline void multiply(double* x, double factor, std::size_t n) {
  products += n;
  for (std::size_t j = 0; j < n; j++) x[j] *= factor;
}

inline double exponential(double x) {
  exps++;
  return std::exp(x);
}

/// The inputs and outputs of one attention head. Query t sees the keys 0 to t.
template <class T>
struct Head {
  Head(std::size_t positions, std::size_t numbers)
      : length(positions), D(numbers), scale(1 / std::sqrt(static_cast<double>(D))) {
    for (Tensor<T>* x : {&q, &k, &v, &dout, &out, &dq, &dk, &dv}) x->resize(length, D);
    log_sum.resize(1, length);
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
  void forward(decltype(Kernels<T>::attention_forward) kernel) { kernel(out.view(), log_sum.view(), call()); }
  void backward(decltype(Kernels<T>::attention_backward) kernel) {
    kernel({dq.view(), dk.view(), dv.view()}, dout.view(), out.view(), log_sum.view(), call());
  }

  AttentionCall<T> call() const {
    return {.q = q.view(), .k = k.view(), .v = v.view(), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
  }

  /// One row per query, as the tiles have them: (length,1).
  View<T> log_sums() { return {log_sum.view().data, length, 1, 1}; }

  std::size_t length, D;
  Mask mask = Mask::causal();
  double scale;                        // of the scores: 1 / sqrt(D)
  Tensor<T> q, k, v, dout;             // (length,D)
  Tensor<T> out, dq, dk, dv, log_sum;  // (length,D), log_sum (1,length)
};

using Tile = Array;  // a few rows that are near

/// How many queries a tile has, and how many keys.
struct TileSize {
  std::size_t queries, keys;
};

/// Reads n rows from `first` on, or as many as there are.
inline Tile read(View<const double> from, std::size_t first, std::size_t n) {
  Tile tile(std::min(n, from.rows - first), from.cols);
  for (std::size_t i = 0; i < tile.rows; i++) std::copy_n(from.row(first + i), tile.cols, tile[i]);
  moved += tile.data.size();
  return tile;
}
inline Tile read(const Tensor<double>& from, std::size_t first, std::size_t n) { return read(from.view(), first, n); }

/// Writes the tile to the rows from `first` on.
inline void write(View<double> to, std::size_t first, const Tile& tile) {
  for (std::size_t i = 0; i < tile.rows; i++) std::copy_n(tile[i], tile.cols, to.row(first + i));
  moved += tile.data.size();
}
inline void write(Tensor<double>& to, std::size_t first, const Tile& tile) { write(to.view(), first, tile); }

}  // namespace microgpt
