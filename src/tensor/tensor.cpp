#include "tensor/tensor.h"

#include <algorithm>

#include "tensor/simd.h"

namespace microgpt {

template <class T>
void transpose(View<T> to, std::type_identity_t<View<const T>> from) {
  for (std::size_t i = 0; i < from.rows; i += lanes<T>) {
    for (std::size_t j = 0; j < from.cols; j += lanes<T>) {
      const std::size_t rows = std::min(lanes<T>, from.rows - i);
      const std::size_t cols = std::min(lanes<T>, from.cols - j);
      const bool whole = rows == lanes<T> && cols == lanes<T>;
      const auto transpose = whole ? transpose_square<T, true> : transpose_square<T, false>;
      transpose(to.row(j) + i, to.stride, from.row(i) + j, from.stride, rows, cols);
    }
  }
}

template void transpose<float>(View<float>, View<const float>);
template void transpose<double>(View<double>, View<const double>);

}  // namespace microgpt
