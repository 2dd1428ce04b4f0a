#include "tensor/transpose.h"

#include "tensor/simd.h"

namespace microgpt {

template <class T>
void transpose(View<T> to, std::type_identity_t<View<const T>> from) {
  const std::size_t whole_rows = from.rows / lanes<T> * lanes<T>;
  const std::size_t whole_cols = from.cols / lanes<T> * lanes<T>;
  for (std::size_t i = 0; i < whole_rows; i += lanes<T>) {
    for (std::size_t j = 0; j < whole_cols; j += lanes<T>) {
      transpose_square(to.row(j) + i, to.stride, from.row(i) + j, from.stride);
    }
  }
  for (std::size_t i = 0; i < from.rows; i++) {
    for (std::size_t j = i < whole_rows ? whole_cols : 0; j < from.cols; j++) to.row(j)[i] = from.row(i)[j];
  }
}

template void transpose<float>(View<float>, View<const float>);
template void transpose<double>(View<double>, View<const double>);

}  // namespace microgpt
