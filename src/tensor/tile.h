// The innermost loop of every matrix product: a tile of the result, kept in registers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/matmul.h"
#include "tensor/multiply_add.h"
#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// The maximum number of rows of a tile that is `vectors` wide: the sums must leave registers for a row of b and a
/// factor.
template <std::size_t vectors>
constexpr std::size_t tile_rows = std::min<std::size_t>(16, (vector_registers - vectors - 1) / vectors);

/// c = a b, or c = before + a b if `before` has data, in tiles of `rows` rows, one below the other. c.rows is a
/// multiple of `rows`. c is at most `vectors` vectors of n numbers wide; `whole` means exactly that. Each step of the
/// inner loop takes one column of a and one row of b, and adds all their products; b must have a row. `before` may be
/// c.
template <class T, std::size_t rows, std::size_t vectors, bool whole, std::size_t n = lanes<T>>
[[gnu::always_inline]] inline void tile(const View<T>& c, const View<const T>& before, const Left<T>& a,
                                        const View<const T>& b) {
  using V = Vector<T, n>;
  const std::size_t last = c.cols - (vectors - 1) * n;  // columns in the last vector
  auto get = [=](const T* row, std::size_t v) {
    if constexpr (whole) {
      return load<T, n>(row + v * n);
    } else {
      return v + 1 < vectors ? load(row + v * n) : load(row + v * n, last);
    }
  };
  auto put = [=](T* row, std::size_t v, V numbers) {
    if constexpr (whole) {
      store<T, n>(row + v * n, numbers);
    } else {
      v + 1 < vectors ? store(row + v * n, numbers) : store(row + v * n, numbers, last);
    }
  };

  // Copies: the compiler must assume that a store changes what a reference refers to.
  const View<T> to = c;
  const View<const T> from = before;
  const Left<T> left = a;
  const View<const T> right = b;
  for (std::size_t first = 0; first < to.rows; first += rows) {
    V sum[rows][vectors] = {};
    if (from.data != nullptr) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; v++) sum[i][v] = get(from.row(first + i), v);
      }
    }
    const T* factors = left.data + first * left.row_stride;
    const T* next = right.data;
    std::size_t k = right.rows;
    do {
      V row[vectors];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) row[v] = get(next, v);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; i++) {
        const V factor = broadcast<T, n>(factors[i * left.row_stride]);
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; v++) sum[i][v] = multiply_add(factor, row[v], sum[i][v]);
      }
      factors += left.col_stride;
      next += right.stride;
    } while (--k > 0);
    T* row = to.row(first);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; i++, row += to.stride) {
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) put(row, v, sum[i][v]);
    }
  }
}

}  // namespace microgpt
