// The innermost loop of every matrix product: a tile of the result, kept in registers.
#pragma once

#include <cstddef>

#include "tensor/matmul.h"
#include "tensor/multiply_add.h"
#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// c = a b, or c += a b, where c has so many rows and fits into so many vectors of n numbers; `whole` if it fills them.
/// Each step of the loop takes one column of a and one row of b, and adds all their products.
template <class T, std::size_t rows, std::size_t vectors, bool whole, bool add, std::size_t n = lanes<T>>
void tile(const View<T>& c, const Left<T>& a, const View<const T>& b) {
  using V = Vector<T, n>;
  const std::size_t last = c.cols - (vectors - 1) * n;  // columns in the last vector
  auto get = [&](const T* row, std::size_t v) {
    if constexpr (whole) {
      return load<T, n>(row + v * n);
    } else {
      return v + 1 < vectors ? load(row + v * n) : load(row + v * n, last);
    }
  };
  auto put = [&](T* row, std::size_t v, V numbers) {
    if constexpr (whole) {
      store<T, n>(row + v * n, numbers);
    } else {
      v + 1 < vectors ? store(row + v * n, numbers) : store(row + v * n, numbers, last);
    }
  };

  V sum[rows][vectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) sum[i][v] = add ? get(c.row(i), v) : V{};
  }
  for (std::size_t k = 0; k < b.rows; k++) {
    V row[vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) row[v] = get(b.row(k), v);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; i++) {
      const V factor = broadcast<T, n>(a.data[i * a.row_stride + k * a.col_stride]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) sum[i][v] = multiply_add(factor, row[v], sum[i][v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < vectors; v++) put(c.row(i), v, sum[i][v]);
  }
}

}  // namespace microgpt
