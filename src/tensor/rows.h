// Operations on single rows, one vector at a time.
#pragma once

#include <cstddef>
#include <span>

#include "tensor/multiply_add.h"
#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// row *= factor, n numbers.
template <class T>
void multiply_row(T* row, std::size_t n, T factor) {
  std::size_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) store(row + j, load(row + j) * factor);
  if (j < n) store(row + j, load(row + j, n - j) * factor, n - j);
}

/// to += factor * from, n numbers.
template <class T>
void add_row(T* to, const T* from, std::size_t n, T factor) {
  const Vector<T> factors = broadcast(factor);
  std::size_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) store(to + j, multiply_add(load(from + j), factors, load(to + j)));
  if (j < n) store(to + j, multiply_add(load(from + j, n - j), factors, load(to + j, n - j)), n - j);
}

/// The dot product of n numbers. Lane i sums the numbers i, i + lanes, ...; sum() then adds the lanes.
template <class T>
T dot(const T* a, const T* b, std::size_t n) {
  Vector<T> sums{};
  std::size_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) sums = multiply_add(load(a + j), load(b + j), sums);
  if (j < n) sums = multiply_add(load(a + j, n - j), load(b + j, n - j), sums);
  return sum<T>(sums);
}

/// to += factors[0] * x[rows[0]] + factors[1] * x[rows[1]] + ..., in this order for each number of `to`.
template <class T>
void add_rows(T* to, View<const T> x, std::span<const std::size_t> rows, const T* factors) {
  std::size_t j = 0;
  for (; j + lanes<T> <= x.cols; j += lanes<T>) {
    Vector<T> sums = load(to + j);
    for (std::size_t c = 0; c < rows.size(); c++) {
      sums = multiply_add(load(x.row(rows[c]) + j), broadcast(factors[c]), sums);
    }
    store(to + j, sums);
  }
  for (std::size_t c = 0; j < x.cols && c < rows.size(); c++) {
    add_row(to + j, x.row(rows[c]) + j, x.cols - j, factors[c]);
  }
}

}  // namespace microgpt
