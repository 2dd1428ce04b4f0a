// One matrix product for everything: a linear layer's forward, both its backwards, and the scores and weighted sums of
// attention. The inner loop keeps a tile of the result in registers and reads the rows of the right factor
// sequentially. The idea is from Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008).
#pragma once

#include <cstddef>
#include <type_traits>

#include "tensor/view.h"

namespace microgpt {

/// The left factor, or its transpose: element (i, k) is data[i * row_stride + k * col_stride].
template <class T>
struct Left {
  const T* data;
  std::size_t row_stride;
  std::size_t col_stride;

  Left(View<T> a) : Left(a.data, a.stride, 1) {}
  Left(View<const T> a) : Left(a.data, a.stride, 1) {}
  Left(const T* data_, std::size_t row_stride_, std::size_t col_stride_)
      : data(data_), row_stride(row_stride_), col_stride(col_stride_) {}

  /// The same without its first rows.
  Left from_row(std::size_t first) const { return {data + first * row_stride, row_stride, col_stride}; }
};

template <class T>
Left<std::remove_const_t<T>> transposed(View<T> a) {
  return {a.data, 1, a.stride};
}

/// c = before + a b, or c = a b if `before` has no data. Shapes (M,N) = (M,N) + (M,K) (K,N): c[i][j] is before[i][j] or
/// 0, plus the sum over k, from 0 up, of a[i][k] * b[k][j]. M and N come from c, K from b; `before` may be c. Each
/// number of c is one chain of fused multiply-adds, in the same order however c is cut into views. So its bits do not
/// depend on how threads divide the work.
template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b);

/// c += a b.
template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<Left<T>>& a,
                const std::type_identity_t<View<const T>>& b) {
  matmul_add(c, c, a, b);
}

/// c = a b.
template <class T>
void matmul(const View<T>& c, const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  matmul_add(c, {}, a, b);
}

}  // namespace microgpt
