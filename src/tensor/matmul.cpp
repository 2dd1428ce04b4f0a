#include "tensor/matmul.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tensor/simd.h"

namespace microgpt {
namespace {

/// The maximum number of rows of a tile that is `vectors` wide: enough sums that none waits for the one before it, and
/// not more than the registers hold beside a row of b and a factor. Each height is compiled; doubles, which only tests
/// use, have fewer.
template <class T, std::size_t vectors>
constexpr std::size_t tile_rows = std::min<std::size_t>(sizeof(T) == 4 ? 8 : 4,
                                                        (vector_registers - vectors - 1) / vectors);

/// Loads vector v of a row of a tile that is `vectors` wide. If the tile is not `whole`, its last vector has only
/// `last` numbers.
template <class T, std::size_t vectors, bool whole>
[[gnu::always_inline]] inline Vector<T> get(const T* row, std::size_t v, std::size_t last) {
  if constexpr (whole) {
    return load(row + v * lanes<T>);
  } else {
    return v + 1 < vectors ? load(row + v * lanes<T>) : load(row + v * lanes<T>, last);
  }
}

template <class T, std::size_t vectors, bool whole>
[[gnu::always_inline]] inline void put(T* row, std::size_t v, std::size_t last, Vector<T> numbers) {
  if constexpr (whole) {
    store(row + v * lanes<T>, numbers);
  } else {
    v + 1 < vectors ? store(row + v * lanes<T>, numbers) : store(row + v * lanes<T>, numbers, last);
  }
}

/// c = a b, or c = before + a b if `before` has data, in tiles of `rows` rows, one below the other. c.rows is a
/// multiple of `rows`. c is at most `vectors` vectors wide; `whole` means exactly that. Each step of the inner loop
/// takes one column of a and one row of b, and adds all their products; b must have a row. `before` may be c.
template <class T, std::size_t rows, std::size_t vectors, bool whole>
[[gnu::always_inline]] inline void tile(const View<T>& c, const View<const T>& before, const Left<T>& a,
                                        const View<const T>& b) {
  const std::size_t last = c.cols - (vectors - 1) * lanes<T>;  // columns in the last vector
  // Copies: the compiler must assume that a store changes what a reference refers to.
  const View<T> to = c;
  const View<const T> from = before;
  const Left<T> left = a;
  const View<const T> right = b;
  for (std::size_t first = 0; first < to.rows; first += rows) {
    Vector<T> sum[rows][vectors] = {};
    if (from.data != nullptr) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; v++) sum[i][v] = get<T, vectors, whole>(from.row(first + i), v, last);
      }
    }
    const T* factors = left.data + first * left.row_stride;
    const T* next = right.data;
    std::size_t k = right.rows;
    do {
      Vector<T> row[vectors];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) row[v] = get<T, vectors, whole>(next, v, last);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; i++) {
        const Vector<T> factor = broadcast(factors[i * left.row_stride]);
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; v++) sum[i][v] = multiply_add(factor, row[v], sum[i][v]);
      }
      factors += left.col_stride;
      next += right.stride;
    } while (--k > 0);
    T* row = to.row(first);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; i++, row += to.stride) {
#pragma GCC unroll 2
      for (std::size_t v = 0; v < vectors; v++) put<T, vectors, whole>(row, v, last, sum[i][v]);
    }
  }
}

template <class T>
using Tile = void (*)(const View<T>&, const View<const T>&, const Left<T>&, const View<const T>&);

/// tiles[rows - 1] is the tile with `rows` rows.
template <class T, std::size_t vectors, bool whole>
constexpr auto tiles = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array<Tile<T>, sizeof...(i)>{tile<T, i + 1, vectors, whole>...};
}
(std::make_index_sequence<tile_rows<T, vectors>>());

/// A strip of c, at most two vectors wide, cut into tiles: as many of the most rows as fit, but the last two share what
/// is left, so that none is low.
template <class T, std::size_t vectors, bool whole>
void strip(const View<T>& c, const View<const T>& before, const Left<T>& a, const View<const T>& b) {
  constexpr std::size_t most = tile_rows<T, vectors>;
  auto multiply = [&](std::size_t first, std::size_t rows, std::size_t height) {
    if (rows == 0) return;
    tiles<T, vectors, whole>[height - 1](c.slice_rows(first, rows), before.slice_rows(first, rows), a.from_row(first),
                                         b);
  };
  const std::size_t rest = c.rows % most;
  if (rest == 0) return multiply(0, c.rows, most);
  if (c.rows < most) return multiply(0, c.rows, c.rows);
  const std::size_t high = c.rows - most - rest;
  const std::size_t upper = (most + rest) / 2;
  multiply(0, high, most);
  multiply(high, upper, upper);
  multiply(high + upper, most + rest - upper, most + rest - upper);
}

}  // namespace

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
