// A matrix that owns its numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "tensor/lanes.h"
#include "tensor/view.h"

namespace microgpt {

// Memory aligned to cache lines, so that no vector straddles two of them.
inline constexpr std::size_t cache_line = 64;  // bytes

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{cache_line})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{cache_line}); }

  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

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

/// to (m,n) from (n,m): to[j][i] = from[i][j].
template <class T>
void transpose(View<T> to, std::type_identity_t<View<const T>> from) {
  for (std::size_t i = 0; i < from.rows; i++) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < from.cols; j++) to.row(j)[i] = from.row(i)[j];
  }
}

}  // namespace microgpt
