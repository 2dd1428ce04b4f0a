// Memory and what is near: rows are read into a tile, used there, and written back. Every number that moves is counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "counted.h"
#include "one_head.h"
#include "tensor/tensor.h"

namespace microgpt {

inline std::size_t moved;  // numbers read from memory or written to it so far

/// A few rows that are near. They begin as zeros.
struct Tile {
  Tile(std::size_t rows_, std::size_t cols_) : rows(rows_), cols(cols_), numbers(rows_ * cols_) {}

  double* row(std::size_t i) { return numbers.data() + i * cols; }
  const double* row(std::size_t i) const { return numbers.data() + i * cols; }

  std::size_t rows, cols;
  std::vector<double> numbers;
};

/// How many queries a tile has, and how many keys.
struct TileSize {
  std::size_t queries, keys;
};

/// The matrices of one attention head, all in memory. Query t sees the keys 0 to t.
struct Head {
  explicit Head(OneHead<double>& of)
      : q(of.q.view()),
        k(of.k.view()),
        v(of.v.view()),
        out(of.out.view()),
        log_sum{of.log_sum.view().data, of.q.view().rows, 1, 1},
        dout(of.dout.view()),
        dq(of.dq.view()),
        dk(of.dk.view()),
        dv(of.dv.view()),
        T(q.rows),
        D(q.cols),
        scale(of.scale) {}

  View<double> q, k, v, out;  // (T,D)
  View<double> log_sum;       // (T,1)
  View<double> dout, dq, dk, dv;
  std::size_t T, D;
  double scale;  // of the scores: 1 / sqrt(D)
};

/// Reads n rows from `first` on, or as many as there are.
inline Tile read(View<const double> from, std::size_t first, std::size_t n) {
  Tile tile(std::min(n, from.rows - first), from.cols);
  for (std::size_t i = 0; i < tile.rows; i++) std::copy_n(from.row(first + i), tile.cols, tile.row(i));
  moved += tile.numbers.size();
  return tile;
}

/// Writes the tile to the rows from `first` on.
inline void write(View<double> to, std::size_t first, const Tile& tile) {
  for (std::size_t i = 0; i < tile.rows; i++) std::copy_n(tile.row(i), tile.cols, to.row(first + i));
  moved += tile.numbers.size();
}

/// The dot product of each row of a with the same row of b: (rows,1).
inline Tile dot_rows(const Tile& a, const Tile& b) {
  Tile dots(a.rows, 1);
  for (std::size_t i = 0; i < a.rows; i++) dots.row(i)[0] = dot(a.row(i), b.row(i), a.cols);
  return dots;
}

}  // namespace microgpt
