// A number of things that stays at the largest there is where it would not fit, instead of beginning again at zero.
#pragma once

#include <cstddef>
#include <limits>

namespace microgpt {

class Count {
 public:
  Count(std::size_t value) : value_(value) {}  // not explicit: sizes become counts where they meet

  std::size_t value() const { return value_; }

  friend Count operator+(Count a, Count b) {
    std::size_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? most : sum;
  }
  friend Count operator*(Count a, Count b) {
    std::size_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? most : product;
  }

 private:
  static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

  std::size_t value_;
};

}  // namespace microgpt
