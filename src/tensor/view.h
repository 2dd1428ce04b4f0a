// A View is a matrix inside other memory; its rows need not be contiguous. The queries inside (q|k|v), one head's slice
// of them, or the rows of one document are Views of the same numbers, and nothing is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace microgpt {

/// Shape (rows, cols); row i begins at data + i * stride.
template <class T>
struct View {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  T* row(std::size_t i) const { return data + i * stride; }

  /// Python's x[first : first + n].
  View slice_rows(std::size_t first, std::size_t n) const { return {data + first * stride, n, cols, stride}; }

  /// Python's x[:, first : first + n].
  View slice_cols(std::size_t first, std::size_t n) const { return {data + first, rows, n, stride}; }

  operator View<const T>() const { return {data, rows, cols, stride}; }
};

/// to[:] = from. Both have the same shape.
template <class T>
void copy(const View<T>& to, const std::type_identity_t<View<const T>>& from) {
  for (std::size_t i = 0; i < to.rows; i++) std::copy_n(from.row(i), to.cols, to.row(i));
}

/// x[:] = 0.
template <class T>
void set_zero(View<T> x) {
  for (std::size_t i = 0; i < x.rows; i++) std::fill_n(x.row(i), x.cols, T{0});
}

}  // namespace microgpt
