#include "base/libm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace microgpt {

// Called through a pointer that might change at any time, so that no compiler can know it is pow and fold a constant y.
double libm_pow(double x, double y) {
  static double (*volatile const c_library_pow)(double, double) = std::pow;
  return c_library_pow(x, y);
}

// When the exact result lies well inside the rounding interval of some double, every pow that errs by less than a
// known bound must return that double. glibc's e_pow.c, and musl's, state 0.511 + 1.5 * 2^-15 * |y log x| units in the
// last place (ulp): less than 0.515 for results between 2^-100 and 2^100. So whoever is within 0.48 ulp of the exact
// result is what pow returns. A fused multiply-add gives that distance exactly; the one number in 25 that is too close
// to call is left to pow itself.
#if defined(__GLIBC__) && (defined(__FMA__) || defined(__aarch64__))
namespace {

constexpr double sure = 0.48;
constexpr double least = 0x1p-100;
constexpr double greatest = 0x1p100;

/// The distance from a positive y down to its neighbour.
inline double ulp_below(double y) {
  constexpr std::uint64_t exponent_bits = 0x7ff0000000000000;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(y) - 1) & exponent_bits) * 0x1p-52;
}

inline double square(double x) { return x * x; }
inline bool square_is_sure(double x, double y) {
  const double distance = std::abs(std::fma(x, x, -y));
  return (x == 0) | ((y > least) & (y < greatest) & (distance < sure * ulp_below(y)));
}

inline double root(double x) { return std::sqrt(x); }
inline bool root_is_sure(double x, double y) {
  const double distance = std::abs(std::fma(-y, y, x));    // of the squares: 2y times that of the roots
  const bool zero = std::bit_cast<std::uint64_t>(x) == 0;  // not -0: its sqrt is -0, its pow is 0
  return zero | ((y > least) & (y < greatest) & (distance < sure * ulp_below(y) * 2 * y));
}

/// Blocks of straight-line arithmetic that the compiler turns into vector instructions, then pow for the unsure few.
template <double fast(double), bool is_sure(double, double)>
void map_exactly(std::span<const double> x, std::span<double> out, double exponent) {
  constexpr std::size_t block = 256;
  std::array<std::uint8_t, block> unsure;
  std::array<std::uint16_t, block> index;
  for (std::size_t start = 0; start < x.size(); start += block) {
    const std::size_t n = std::min(block, x.size() - start);
    const double* xs = x.data() + start;
    double* ys = out.data() + start;
    for (std::size_t i = 0; i < n; i++) {
      const double y = fast(xs[i]);
      ys[i] = y;
      unsure[i] = !is_sure(xs[i], y);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i++) {
      index[count] = static_cast<std::uint16_t>(i);
      count += unsure[i];
    }
    for (std::size_t k = 0; k < count; k++) ys[index[k]] = libm_pow(xs[index[k]], exponent);
  }
}

}  // namespace

void libm_squares(std::span<const double> x, std::span<double> out) { map_exactly<square, square_is_sure>(x, out, 2); }
void libm_roots(std::span<const double> x, std::span<double> out) { map_exactly<root, root_is_sure>(x, out, 0.5); }

#else  // another C library's bound is not known, and without a fused multiply-add the test costs more than pow

void libm_squares(std::span<const double> x, std::span<double> out) {
  std::transform(x.begin(), x.end(), out.begin(), [](double value) { return libm_pow(value, 2); });
}

void libm_roots(std::span<const double> x, std::span<double> out) {
  std::transform(x.begin(), x.end(), out.begin(), [](double value) { return libm_pow(value, 0.5); });
}

#endif

}  // namespace microgpt
