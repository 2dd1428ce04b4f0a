// A matrix that owns its numbers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/aligned.h"
#include "tensor/lanes.h"
#include "tensor/view.h"

namespace microgpt {

/// Every row starts on a vector boundary. The padding between rows is zero unless it is overwritten.
template <class T>
class Tensor {
 public:
  Tensor() = default;
  Tensor(std::size_t rows, std::size_t cols) { resize(rows, cols); }

  /// Changes the shape. Allocates memory, and loses the numbers, only when the size exceeds all earlier ones.
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    const std::size_t size = std::max<std::size_t>(1, rows * stride(cols));  // so that data is never null
    if (numbers_.size() < size) numbers_.assign(size, T{});
  }

  View<T> view() { return {numbers_.data(), rows_, cols_, stride(cols_)}; }
  View<const T> view() const { return {numbers_.data(), rows_, cols_, stride(cols_)}; }

  /// The distance between rows. If it were a power of two, all numbers of a column would compete for the same few cache
  /// lines, so then one line is added.
  static std::size_t stride(std::size_t cols) {
    const std::size_t bytes = padded<T>(cols) * sizeof(T);
    return (bytes % 512 == 0 ? bytes + cache_line : bytes) / sizeof(T);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  AlignedVector<T> numbers_;
};

}  // namespace microgpt
