#include "tensor/tensor.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tensor/simd.h"

namespace microgpt {
namespace {

/// Transposes a square of `lanes` vectors: row[j][i] and row[i][j] change places. In each round, rows that are `half`
/// apart swap their off-diagonal squares: first squares of half the size, then a quarter, down to single numbers.
template <class T>
void transpose_vectors(Vector<T>* row) {
  constexpr std::size_t n = lanes<T>;
  auto swap_squares = [&]<std::size_t half, std::size_t... lane>(std::index_sequence<lane...>) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; i++) {
      if ((i & half) != 0) continue;
      const Vector<T> a = row[i];
      const Vector<T> b = row[i + half];
      row[i] = __builtin_shufflevector(a, b, ((lane & half) != 0 ? n + (lane ^ half) : lane)...);
      row[i + half] = __builtin_shufflevector(a, b, ((lane & half) != 0 ? n + lane : (lane ^ half))...);
    }
  };
  [&]<std::size_t... round>(std::index_sequence<round...>) {
    (swap_squares.template operator()<(n >> (round + 1))>(std::make_index_sequence<n>()), ...);
  }
  (std::make_index_sequence<std::bit_width(n) - 1>());
}

/// The transpose of at most `lanes` rows and columns. `whole` means that `from` has so many columns, and `to` has room
/// for so many; those beyond the rows of `from` become copies of its last row.
template <class T, bool whole>
[[gnu::always_inline]] inline void transpose_square(View<T> to, View<const T> from) {
  Vector<T> row[lanes<T>];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes<T>; i++) {
    row[i] = whole ? load(from.data) : load(from.data, from.cols);
    if (i + 1 < from.rows) from.data += from.stride;
  }
  transpose_vectors<T>(row);
#pragma GCC unroll 16
  for (std::size_t j = 0; j < lanes<T>; j++) {
    if constexpr (whole) {
      store(to.row(j), row[j]);
    } else if (j < from.cols) {
      store(to.row(j), row[j], from.rows);
    }
  }
}

}  // namespace

template <class T>
void transpose(View<T> to, std::type_identity_t<View<const T>> from) {
  for (std::size_t i = 0; i < from.rows; i += lanes<T>) {
    for (std::size_t j = 0; j < from.cols; j += lanes<T>) {
      const std::size_t rows = std::min(lanes<T>, from.rows - i);
      const std::size_t cols = std::min(lanes<T>, from.cols - j);
      const bool whole = to.cols - i >= lanes<T> && cols == lanes<T>;
      const View<T> square = to.slice_rows(j, cols).slice_cols(i, rows);
      const View<const T> turned = from.slice_rows(i, rows).slice_cols(j, cols);
      whole ? transpose_square<T, true>(square, turned) : transpose_square<T, false>(square, turned);
    }
  }
}

template void transpose<float>(View<float>, View<const float>);
template void transpose<double>(View<double>, View<const double>);

}  // namespace microgpt
