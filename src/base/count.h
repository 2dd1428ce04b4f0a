// A count that saturates: a sum or product too large for size_t becomes the largest size_t instead of wrapping around.
#pragma once

#include <cstddef>
#include <limits>

namespace microgpt {

class Count {
 public:
  Count(std::size_t value) : value_(value) {}  // not explicit, so that Count * size_t works

  std::size_t value() const { return value_; }

  friend Count operator+(Count a, Count b) {
    std::size_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? max : sum;
  }
  friend Count operator*(Count a, Count b) {
    std::size_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? max : product;
  }

 private:
  static constexpr std::size_t max = std::numeric_limits<std::size_t>::max();

  std::size_t value_;
};

}  // namespace microgpt
