// Comparing lists of numbers to the last bit, or nearly.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "base/libm.h"

namespace microgpt {

/// Where two lists first differ in any bit, in words; empty if they are the same. Unlike ==, it tells 0 from -0 and
/// finds a NaN equal to itself.
inline std::string first_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return fmt::format("{} numbers and {}", a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) {
    const bool same = std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]);
    if (!same) return fmt::format("at {}: {:a} and {:a}", i, a[i], b[i]);
  }
  return "";
}

/// The same for numbers of the golden files. Where the C library rounds in its own way, their first four digits count.
inline std::string golden_difference(std::span<const double> a, std::span<const double> golden) {
  if (libm_unlike_published().empty() || a.size() != golden.size()) return first_difference(a, golden);
  for (std::size_t i = 0; i < a.size(); i++) {
    if (!(std::abs(a[i] - golden[i]) <= 0.5e-4)) return fmt::format("at {}: {} and {}", i, a[i], golden[i]);
  }
  return "";
}

/// The largest difference of two lists, in units of the largest number of b. Infinite if their sizes differ or there is
/// a NaN.
template <class A, class B>
double relative_difference(const A& a, const B& b) {
  double difference = a.size() == b.size() ? 0 : HUGE_VAL;
  double size = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++) {
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    difference = std::isnan(apart) ? HUGE_VAL : std::max(difference, apart);
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return difference / size;
}

}  // namespace microgpt
