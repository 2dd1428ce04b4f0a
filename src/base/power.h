// x ** y as CPython computes it: with pow of the C library, to the last bit. Compilers rewrite pow(x, 2) as x * x, and
// pow(x, -1) as 1 / x. These sometimes differ from pow in the last bit, and after a thousand training steps the
// difference has spread to every parameter.
#pragma once

#include <cmath>

namespace microgpt {

/// The C library's pow(x, y). The call goes through a volatile pointer, so that no compiler sees that it is pow.
inline double c_library_pow(double x, double y) {
  static double (*volatile const function)(double, double) = std::pow;
  return function(x, y);
}

// When the exact result lies well inside the rounding interval of some double, every pow with a small enough error must
// return that double. glibc's e_pow.c, and musl's, state an error of at most 0.511 + 1.5 * 2^-15 * |y log x| units in
// the last place (ulp): less than 0.515 for results between 2^-100 and 2^100. So pow returns the double within 0.485
// ulp of the exact result, if there is one. A fused multiply-add tells the distance, and whether 0.5 / 0.485 times that
// distance still rounds to the same double. One number in 33 is too close to call; for that we call pow itself.
#if defined(__GLIBC__) && (defined(__FMA__) || defined(__aarch64__))
inline constexpr bool has_known_pow = true;
#else  // no known error bound for other C libraries; and without a fused multiply-add the test costs more than pow
inline constexpr bool has_known_pow = false;
#endif

/// x ** y. Most squares and square roots cost only a multiplication or a square root. Otherwise it remembers the last
/// answer for each of two exponents, because softmax divides many numbers by the same total.
inline double power(double x, double y) {
  if (has_known_pow && (y == 2 || y == 0.5)) {
    if (x == 0) return 0;
    const double r = y == 2 ? x * x : std::sqrt(x);
    const double error = y == 2 ? std::fma(x, x, -r) : std::fma(-r, r, x) / (2 * r);
    if (std::fma(error, 1.0312, r) == r && r > 0x1p-100 && r < 0x1p100) return r;
  }
  struct Answer {
    double x = 1, y = 1, result = 1;
  };
  static thread_local constinit Answer answers[2];
  Answer& last = answers[y == -1];
  if (x != last.x || y != last.y || x == 0) last = {x, y, c_library_pow(x, y)};  // 0 equals -0, 1 / 0 not 1 / -0
  return last.result;
}

}  // namespace microgpt
