// Dropout (Srivastava et al. 2014): in training, numbers are set to zero at random, so that a model cannot rely on any
// single one of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/simd.h"
#include "tensor/view.h"

namespace microgpt {

/// Each number is dropped with probability `rate`, from 0 to less than 1, and else divided by 1 - rate, so that on
/// average it stays what it was. Whether it is dropped follows from the seed and its place in a matrix, by a hash: so
/// the backward drops what the forward dropped, with nothing remembered, and every thread, type and kernel the same.
struct Dropout {
  double rate = 0;
  std::uint64_t seed = 0;

  bool drops() const { return rate > 0; }

  /// One that drops others: that of the i-th step, layer, head, ...
  Dropout of(std::uint64_t i) const { return {rate, hash(seed + (i + 1) * golden)}; }

  /// What number j of row i is multiplied by: 0, or 1 / (1 - rate).
  template <class T>
  T factor(std::size_t i, std::size_t j) const {
    return drops() ? factors<T>(i, j)[0] : 1;
  }

  /// The same of a vector of numbers, from column `first` on.
  template <class T>
  Vector<T> factors(std::size_t i, std::size_t first) const {
    using Lanes = Vector<Unsigned<T>>;  // of which only 32 bits are used
    constexpr Unsigned<T> bits = 0xffffffff;
    const auto row = static_cast<std::uint32_t>(hash(seed + (i + 1) * golden));
    Lanes x = (lane_numbers<T> + static_cast<std::uint32_t>(first)) * Unsigned<T>{0x9e3779b9};
    x = (x & bits) ^ row;
    x = ((x ^ (x >> 16)) * Unsigned<T>{0x7feb352d}) & bits;  // the hash "lowbias32" of Chris Wellons
    x = ((x ^ (x >> 15)) * Unsigned<T>{0x846ca68b}) & bits;
    x = x ^ (x >> 16);
    const auto limit = static_cast<Unsigned<T>>(rate * 0x1p32);
    return x < limit ? Vector<T>{} : broadcast(static_cast<T>(1 / (1 - rate)));
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

  /// That of SplitMix64 (Steele, Lea and Flood 2014).
  static constexpr std::uint64_t hash(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

/// y[i][j] = x[i][j] * factor(first_row + i, first_col + j). The backward is the same on gradients. y may be x.
template <class T>
void drop(View<T> y, View<const T> x, const Dropout& dropout, std::size_t first_row, std::size_t first_col = 0) {
  for (std::size_t i = 0; i < x.rows; i++) {
    for (std::size_t j = 0; j < x.cols; j += lanes<T>) {
      const std::size_t n = x.cols - j < lanes<T> ? x.cols - j : lanes<T>;
      store<T>(y.row(i) + j, load(x.row(i) + j, n) * dropout.factors<T>(first_row + i, first_col + j), n);
    }
  }
}

}  // namespace microgpt
