#include "tensor/matmul.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tensor/simd.h"
#include "tensor/tile.h"

namespace microgpt {
namespace {

template <class T>
using Tile = void (*)(const View<T>&, const View<const T>&, const Left<T>&, const View<const T>&);

/// tiles[rows - 1] is the tile with `rows` rows.
template <class T, std::size_t vectors, bool whole>
constexpr auto tiles = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array<Tile<T>, sizeof...(i)>{tile<T, i + 1, vectors, whole>...};
}
(std::make_index_sequence<tile_rows<vectors>>());

/// n rows of `before`, if there is one.
template <class T>
View<const T> rows_of(const View<const T>& before, std::size_t first, std::size_t n) {
  return before.data == nullptr ? before : before.slice_rows(first, n);
}

/// A strip of c, at most two vectors wide, cut into tiles. Their heights differ by at most one row; the taller ones
/// come first.
template <class T, std::size_t vectors, bool whole>
void strip(const View<T>& c, const View<const T>& before, const Left<T>& a, const View<const T>& b) {
  if (c.rows == 0) return;
  const std::size_t num_tiles = (c.rows + tile_rows<vectors> - 1) / tile_rows<vectors>;
  const std::size_t height = c.rows / num_tiles;
  const std::size_t high = c.rows % num_tiles * (height + 1);  // rows in the taller tiles
  auto multiply = [&](std::size_t first, std::size_t rows, std::size_t tile_height) {
    if (rows == 0) return;
    tiles<T, vectors, whole>[tile_height - 1](c.slice_rows(first, rows), rows_of(before, first, rows),
                                              a.from_row(first), b);
  };
  multiply(0, high, height + 1);
  multiply(high, c.rows - high, height);
}

template <class T>
void product(const View<T>& c, const View<const T>& before, const Left<T>& a, const View<const T>& b) {
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

}  // namespace

template <class T>
void matmul(const View<T>& c, const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  product<T>(c, {}, a, b);
}

template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  product<T>(c, before, a, b);
}

template void matmul<float>(const View<float>&, const Left<float>&, const View<const float>&);
template void matmul<double>(const View<double>&, const Left<double>&, const View<const double>&);
template void matmul_add<float>(const View<float>&, const View<const float>&, const Left<float>&,
                                const View<const float>&);
template void matmul_add<double>(const View<double>&, const View<const double>&, const Left<double>&,
                                 const View<const double>&);

}  // namespace microgpt
