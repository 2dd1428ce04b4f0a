// Dropout of whole matrices, with vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dropout.h"
#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// dropout.factor() for one vector of row i, from column `first` on.
template <class T>
Vector<T> dropout_factors(const Dropout& dropout, std::size_t i, std::size_t first) {
  const Vector<Unsigned<T>> columns = lane_numbers<T> + static_cast<std::uint32_t>(first);
  const auto limit = static_cast<Unsigned<T>>(dropout.rate * 0x1p32);
  const auto kept = broadcast(static_cast<T>(1 / (1 - dropout.rate)));
  return dropout.hashes<Unsigned<T>>(i, columns) < limit ? Vector<T>{} : kept;
}

/// y[i][j] = x[i][j] * factor(first_row + i, first_col + j). The backward does the same to gradients. y may be x.
template <class T>
void drop(View<T> y, View<const T> x, const Dropout& dropout, std::size_t first_row, std::size_t first_col = 0) {
  for (std::size_t i = 0; i < x.rows; i++) {
    for (std::size_t j = 0; j < x.cols; j += lanes<T>) {
      const std::size_t n = x.cols - j < lanes<T> ? x.cols - j : lanes<T>;
      store<T>(y.row(i) + j, load(x.row(i) + j, n) * dropout_factors<T>(dropout, first_row + i, first_col + j), n);
    }
  }
}

}  // namespace microgpt
