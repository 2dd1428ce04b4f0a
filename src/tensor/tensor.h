// A matrix that owns its numbers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/aligned.h"
#include "tensor/lanes.h"
#include "tensor/view.h"

namespace microgpt {

/// Every row begins a vector. What fills the room between the rows is zero, unless it is written.
template <class T>
class Tensor {
 public:
  Tensor() = default;
  Tensor(std::size_t rows, std::size_t cols) { resize(rows, cols); }

  /// The shape from now on. The numbers are lost, and memory is taken, only when it grows beyond all before.
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    const std::size_t size = std::max<std::size_t>(1, rows * stride());  // an empty one, too, points at memory
    if (numbers_.size() < size) numbers_.assign(size, T{});
  }

  View<T> view() { return {numbers_.data(), rows_, cols_, stride()}; }
  View<const T> view() const { return {numbers_.data(), rows_, cols_, stride()}; }

 private:
  /// From row to row. A column's numbers must not all fall into the same few lines of the cache, as they would if rows
  /// stood a power of two apart: so there is a line in between.
  std::size_t stride() const {
    const std::size_t bytes = padded<T>(cols_) * sizeof(T);
    return (bytes % 512 == 0 ? bytes + cache_line : bytes) / sizeof(T);
  }

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  AlignedVector<T> numbers_;
};

}  // namespace microgpt
