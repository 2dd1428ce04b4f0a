// Comparing lists of numbers to the last bit.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>

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

}  // namespace microgpt
