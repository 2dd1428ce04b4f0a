#include "tensor/matmul.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tensor/simd.h"
#include "tensor/tile.h"

namespace microgpt {
namespace {

/// How many rows a tile has at most if it is `vectors` wide: as many as leave registers for a row of b and a factor.
template <std::size_t vectors>
constexpr std::size_t tile_rows = std::min<std::size_t>(16, (vector_registers - vectors - 1) / vectors);

template <class T>
using Tile = void (*)(const View<T>&, const Left<T>&, const View<const T>&);

/// tiles[rows - 1] is the tile of so many rows.
template <class T, std::size_t vectors, bool whole, bool add>
constexpr auto tiles = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array<Tile<T>, sizeof...(i)>{tile<T, i + 1, vectors, whole, add>...};
}
(std::make_index_sequence<tile_rows<vectors>>());

/// A strip of c, of at most two vectors, in tiles of about equal height.
template <class T, std::size_t vectors, bool whole, bool add>
void strip(const View<T>& c, const Left<T>& a, const View<const T>& b) {
  const std::size_t num_tiles = (c.rows + tile_rows<vectors> - 1) / tile_rows<vectors>;
  std::size_t row = 0;
  for (std::size_t i = num_tiles; i > 0; i--) {
    const std::size_t rows = (c.rows - row + i - 1) / i;
    tiles<T, vectors, whole, add>[rows - 1](c.slice_rows(row, rows), a.from_row(row), b);
    row += rows;
  }
}

template <class T, bool add>
void product(const View<T>& c, const Left<T>& a, const View<const T>& b) {
  for (std::size_t col = 0; col < c.cols; col += 2 * lanes<T>) {
    const std::size_t cols = std::min(2 * lanes<T>, c.cols - col);
    const bool whole = cols % lanes<T> == 0;
    const auto multiply = cols > lanes<T> ? (whole ? strip<T, 2, true, add> : strip<T, 2, false, add>)
                                          : (whole ? strip<T, 1, true, add> : strip<T, 1, false, add>);
    multiply(c.slice_cols(col, cols), a, b.slice_cols(col, cols));
  }
}

}  // namespace

template <class T>
void matmul(const View<T>& c, const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  product<T, false>(c, a, b);
}

template <class T>
void matmul_add(const View<T>& c, const std::type_identity_t<Left<T>>& a,
                const std::type_identity_t<View<const T>>& b) {
  product<T, true>(c, a, b);
}

template void matmul<float>(const View<float>&, const Left<float>&, const View<const float>&);
template void matmul<double>(const View<double>&, const Left<double>&, const View<const double>&);
template void matmul_add<float>(const View<float>&, const Left<float>&, const View<const float>&);
template void matmul_add<double>(const View<double>&, const Left<double>&, const View<const double>&);

}  // namespace microgpt
