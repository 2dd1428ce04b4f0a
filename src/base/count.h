// A count that saturates: a sum or product too large for 64 bits becomes the largest number of 64 bits instead of
// wrapping around.
#pragma once

#include <cstdint>
#include <limits>

namespace microgpt {

class Count {
 public:
  Count(std::uint64_t value) : value_(value) {}  // not explicit, so that Count * size_t works

  std::uint64_t value() const { return value_; }

  friend Count operator+(Count a, Count b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? max : sum;
  }
  friend Count operator*(Count a, Count b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? max : product;
  }

 private:
  static constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t value_;
};

}  // namespace microgpt
