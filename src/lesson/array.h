// A matrix as it stands on paper: x[n][c] is the number in row n and column c.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tensor/tensor.h"

namespace microgpt {

/// Shape (rows, cols), row after row in one block of memory: x[n][c] is data[n * cols + c].
struct Array {
  Array(std::size_t rows_, std::size_t cols_) : rows(rows_), cols(cols_), data(rows_ * cols_) {}

  /// A copy of a matrix of src/tensor, without the padding between its rows.
  Array(const Tensor<double>& x) : Array(x.view().rows, x.view().cols) {
    copy(View<double>{data.data(), rows, cols, cols}, x.view());
  }

  double* operator[](std::size_t n) { return data.data() + n * cols; }
  const double* operator[](std::size_t n) const { return data.data() + n * cols; }

  std::size_t rows, cols;
  std::vector<double> data;
};

inline Array row_of(const std::vector<double>& numbers) {
  Array row(1, numbers.size());
  row.data = numbers;
  return row;
}

/// Numbers that look random, the same on every machine: something to try a function on.
inline Array waves(std::size_t rows, std::size_t cols, double start) {
  Array x(rows, cols);
  for (double& number : x.data) number = std::sin(start += 1.7);
  return x;
}

/// a + b, number by number. Both have the same shape.
inline Array add(Array a, const Array& b) {
  for (std::size_t i = 0; i < a.data.size(); i++) a.data[i] += b.data[i];
  return a;
}

}  // namespace microgpt
