// Random numbers that are not a stream: each is a hash of where it is used. So they can be drawn in any order, and on
// any thread, and stay the same.
#pragma once

#include <cstdint>

namespace microgpt {

/// 64 random bits for each x. The hash of SplitMix64 (Steele, Lea and Flood 2014).
constexpr std::uint64_t counter_bits(std::uint64_t seed, std::uint64_t x) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  std::uint64_t bits = seed + (x + 1) * golden;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// Uniform in [0, 1), 53 bits, for each x.
constexpr double counter_uniform(std::uint64_t seed, std::uint64_t x) {
  return static_cast<double>(counter_bits(seed, x) >> 11) * 0x1p-53;
}

}  // namespace microgpt
