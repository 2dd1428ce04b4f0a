// Numbers to multiply, and whether two products agree: to the last bit, or but for rounding.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "tensor/view.h"

namespace microgpt {

inline void fill(View<float> x, const std::function<double()>& draw) {
  for (std::size_t i = 0; i < x.rows; i++) std::generate_n(x.row(i), x.cols, draw);
}

inline bool same_bits(View<const float> a, View<const float> b) {
  auto same = [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); };
  for (std::size_t i = 0; i < a.rows; i++) {
    if (!std::equal(a.row(i), a.row(i) + a.cols, b.row(i), b.row(i) + b.cols, same)) return false;
  }
  return true;
}

/// Two programs' y = x W^T. Each of its numbers is a sum of x.cols terms. On its way into the sum a term is rounded at
/// most x.cols times, each time by half an epsilon: of that, twice, the two may differ.
inline bool within_rounding(View<const float> y, View<const float> other, View<const float> x, View<const float> w) {
  const double rounding = static_cast<double>(x.cols) * std::numeric_limits<float>::epsilon();
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      double size = 0;
      for (std::size_t j = 0; j < x.cols; j++) size += std::abs(double{x.row(n)[j]} * w.row(i)[j]);
      const double difference = std::abs(double{y.row(n)[i]} - other.row(n)[i]);
      if (!(difference <= size * rounding / (1 - rounding))) return false;  // what is not a number does not agree
    }
  }
  return true;
}

}  // namespace microgpt
