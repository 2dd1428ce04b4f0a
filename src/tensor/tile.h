// The innermost loop of every matrix product: a tile of the result, kept in registers.
#pragma once

#include <cstddef>

#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// c = a b, or c += a b, where c has so many rows and fits into so many vectors; `whole` if it fills them. Each step of
/// the loop takes one column of a and one row of b, and adds all their products.
template <class T, std::size_t rows, std::size_t vectors, bool whole, bool add>
void tile(View<T> c, Left<T> a, View<const T> b) {
  const std::size_t last = c.cols - (vectors - 1) * lanes<T>;  // columns in the last vector
  auto get = [&](const T* row, std::size_t v) {
    const T* const from = row + v * lanes<T>;
    return whole || v + 1 < vectors ? load(from) : load(from, last);
  };
  auto put = [&](T* row, std::size_t v, Vector<T> numbers) {
    T* const to = row + v * lanes<T>;
    return whole || v + 1 < vectors ? store(to, numbers) : store(to, numbers, last);
  };

  Vector<T> sum[rows][vectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) sum[i][v] = add ? get(c.row(i), v) : Vector<T>{};
  }
  for (std::size_t k = 0; k < b.rows; k++) {
    Vector<T> row[vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) row[v] = get(b.row(k), v);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; i++) {
      const Vector<T> factor = broadcast(a.data[i * a.row_stride + k * a.col_stride]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) sum[i][v] += factor * row[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) put(c.row(i), v, sum[i][v]);
  }
}

}  // namespace microgpt
