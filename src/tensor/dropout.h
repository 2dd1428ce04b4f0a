// Dropout (Srivastava et al. 2014): training sets random numbers to zero, so that a model cannot rely on any single
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/counter_random.h"

namespace microgpt {

/// Each number is dropped with probability `rate` (0 <= rate < 1); the others are divided by 1 - rate, which keeps the
/// average the same. A hash of the seed and of the number's place in the matrix decides what is dropped. So the
/// backward drops what the forward dropped without storing anything, and all threads, types and kernels drop the same.
struct Dropout {
  double rate = 0;
  std::uint64_t seed = 0;

  bool drops() const { return rate > 0; }

  /// Another Dropout, which drops other numbers: for step, layer or head i.
  Dropout of(std::uint64_t i) const { return {rate, counter_bits(seed, i)}; }

  /// The factor for number j of row i: 0, or 1 / (1 - rate).
  template <class T>
  T factor(std::size_t i, std::size_t j) const {
    if (!drops()) return 1;
    const auto limit = static_cast<std::uint32_t>(rate * 0x1p32);
    return hashes<std::uint32_t>(i, static_cast<std::uint32_t>(j)) < limit ? 0 : static_cast<T>(1 / (1 - rate));
  }

  /// 32 random bits for a column of row i, or for each of a vector of columns. Columns are of type Unsigned.
  template <class Unsigned, class Columns>
  Columns hashes(std::size_t i, Columns x) const {
    constexpr Unsigned bits = 0xffffffff;
    const auto row = static_cast<std::uint32_t>(counter_bits(seed, i));
    x = ((x * Unsigned{0x9e3779b9}) & bits) ^ row;
    x = ((x ^ (x >> 16)) * Unsigned{0x7feb352d}) & bits;  // Chris Wellons's hash "lowbias32"
    x = ((x ^ (x >> 15)) * Unsigned{0x846ca68b}) & bits;
    return x ^ (x >> 16);
  }
};

}  // namespace microgpt
