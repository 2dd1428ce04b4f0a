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
    auto multiply = [&]<std::size_t vectors, bool whole>() {
      const View<T> to = c.slice_cols(col, cols);
      const View<const T> from = before.data == nullptr ? before : before.slice_cols(col, cols);
      if (c.rows != 1) return strip<T, vectors, whole>(to, from, a, b.slice_cols(col, cols));
      tile<T, 1, vectors, whole>({to.data, 1, cols, 0}, from, a, b.slice_cols(col, cols));  // a token that is generated
    };
    const bool whole = cols % lanes<T> == 0;
    if (cols > lanes<T>) {
      whole ? multiply.template operator()<2, true>() : multiply.template operator()<2, false>();
    } else {
      whole ? multiply.template operator()<1, true>() : multiply.template operator()<1, false>();
    }
  }
}

template void matmul_add<float>(const View<float>&, const View<const float>&, const Left<float>&,
                                const View<const float>&);
template void matmul_add<double>(const View<double>&, const View<const double>&, const Left<double>&,
                                 const View<const double>&);

}  // namespace microgpt
