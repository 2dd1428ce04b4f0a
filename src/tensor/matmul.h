// One matrix product for everything: the forward of a linear layer, both its backwards, and the scores and mixtures of
// attention. Its inner loop keeps a tile of the result in registers and reads the rows of the right factor in a
// straight line. The idea is from Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008).
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

/// c = a b, shapes (M,N) = (M,K) (K,N): c[i][j] = sum over k, from 0 up, of a[i][k] * b[k][j]. M and N are those of c,
/// K that of b. Each number of c is one chain of fused multiply-adds, in the same order however c is cut into views, so
/// its bits do not depend on who computes which part.
template <class T>
void matmul(const View<T>& c, const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b);

/// c = before + a b, chains that begin with the numbers of `before`, (M,N). It may be c.
template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b);

/// c += a b.
template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<Left<T>>& a,
                const std::type_identity_t<View<const T>>& b) {
  matmul_add(c, c, a, b);
}

}  // namespace microgpt
