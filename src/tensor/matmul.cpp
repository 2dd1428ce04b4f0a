#include "tensor/matmul.h"

#include <algorithm>

#include "tensor/simd.h"
#include "tensor/tile.h"

namespace microgpt {

template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  if (b.rows == 0) return before.data == nullptr ? set_zero(c) : copy(c, before);
  for (std::size_t col = 0; col < c.cols; col += 2 * lanes<T>) {
    const std::size_t cols = std::min(2 * lanes<T>, c.cols - col);
    const bool whole = cols % lanes<T> == 0;
    const auto multiply = cols > lanes<T> ? (whole ? strip<T, 2, true> : strip<T, 2, false>)
                                          : (whole ? strip<T, 1, true> : strip<T, 1, false>);
    multiply(c.slice_cols(col, cols), before.data == nullptr ? before : before.slice_cols(col, cols), a,
             b.slice_cols(col, cols));
  }
}

template void matmul_add<float>(const View<float>&, const View<const float>&, const Left<float>&,
                                const View<const float>&);
template void matmul_add<double>(const View<double>&, const View<const double>&, const Left<double>&,
                                 const View<const double>&);

}  // namespace microgpt
