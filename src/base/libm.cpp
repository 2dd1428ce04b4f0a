#include "base/libm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace microgpt {

// The call goes through a volatile pointer, so that the compiler cannot see it is pow and rewrite it for a constant y.
double libm_pow(double x, double y) {
  static double (*volatile const c_library_pow)(double, double) = std::pow;
  return c_library_pow(x, y);
}

namespace {

struct Known {
  std::string_view name;
  double (*function)(double, double);
  double x, y, result;
};

double exp_of(double x, double) { return std::exp(x); }
double log_of(double x, double) { return std::log(x); }
double sin_of(double x, double) { return std::sin(x); }
double cos_of(double x, double) { return std::cos(x); }

// glibc rounds these results one way with a fused multiply-add and the other way without. For each function some of
// them are the nearest double and some are not, so that a more accurate library is detected, too.
constexpr Known published[]{
    {"exp", exp_of, -0x1.fc2729b499ceap+2, 0, 0x1.758cefdd5d9f3p-12},
    {"exp", exp_of, -0x1.dfd5a19668001p+1, 0, 0x1.81d033186f9e9p-6},
    {"exp", exp_of, -0x1.3add1a1a46914p+2, 0, 0x1.de7a53a5f8b2bp-8},
    {"exp", exp_of, -0x1.f3f704dcf5f97p+2, 0, 0x1.a888ab14b2055p-12},
    {"log", log_of, 0x1.a681b3e26fed6p-1, 0, -0x1.8975ea3adab49p-3},
    {"log", log_of, 0x1.da21be5519b4ep-1, 0, -0x1.3abbce0293772p-4},
    {"log", log_of, 0x1.ac61c203d7ab1p-1, 0, -0x1.6d2d9774627eep-3},
    {"pow", libm_pow, 0x1.31f24d06dc86bp+2, 0.5, 0x1.17dc78bac9331p+1},
    {"pow", libm_pow, 0x1.cbe525d7744b2p+2, 2, 0x1.9d17c167aa09bp+5},
    {"pow", libm_pow, 0x1.396588bdb8b52p+1, 2, 0x1.7fa970a51c68dp+2},
    {"pow", libm_pow, 0x1.5ddc3fac65dbep+0, -0.5, 0x1.b5f7dc3c11bc7p-1},
    {"sin", sin_of, 0x1.a9840a3755735p+1, 0, -0x1.7430e1871357cp-3},
    {"sin", sin_of, 0x1.79e9770e0dd4cp+2, 0, -0x1.7a3731ddf74bcp-2},
    {"sin", sin_of, 0x1.ced1850e2d9c5p-3, 0, 0x1.cae3a07a19815p-3},
    {"sin", sin_of, 0x1.ff649ed22fc7bp-2, 0, 0x1.ea6625dc2bce7p-2},
    {"cos", cos_of, 0x1.3ae463d8c86fap+2, 0, 0x1.a685190fa4456p-3},
    {"cos", cos_of, 0x1.03c3b5933b1f8p+1, 0, -0x1.c55498dab97eap-2},
    {"cos", cos_of, 0x1.684a9fc6f6704p+0, 0, 0x1.4d2be84e2a267p-3},
    {"cos", cos_of, 0x1.516cb0bf86d76p+0, 0, 0x1.000d07c654771p-2},
};

}  // namespace

std::string_view libm_unlike_published() {
  for (const Known& known : published) {
    const volatile double x = known.x;  // so that the C library computes the result, not the compiler
    if (known.function(x, known.y) != known.result) return known.name;
  }
  return {};
}

// When the exact result lies well inside the rounding interval of some double, every pow with a small enough error must
// return that double. glibc's e_pow.c, and musl's, state an error of at most 0.511 + 1.5 * 2^-15 * |y log x| units in
// the last place (ulp): less than 0.515 for results between 2^-100 and 2^100. So pow returns the double within 0.4849
// ulp of the exact result, if there is one. A fused multiply-add computes that distance exactly. One number in 33 is
// too close to call, and for that we call pow itself.
#if defined(__GLIBC__) && (defined(__FMA__) || defined(__aarch64__))
namespace {

constexpr double sure = 0.4849;
constexpr double min_result = 0x1p-100;
constexpr double max_result = 0x1p100;

/// The distance from a positive y down to its neighbour.
inline double ulp_below(double y) {
  constexpr std::uint64_t exponent_bits = 0x7ff0000000000000;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(y) - 1) & exponent_bits) * 0x1p-52;
}

inline double square(double x) { return x * x; }
inline bool square_is_sure(double x, double y) {
  const double distance = std::abs(std::fma(x, x, -y));
  return (x == 0) | ((y > min_result) & (y < max_result) & (distance < sure * ulp_below(y)));
}

inline double root(double x) { return std::sqrt(x); }
inline bool root_is_sure(double x, double y) {
  const double distance = std::abs(std::fma(-y, y, x));    // between squares: 2y times that between roots
  const bool zero = std::bit_cast<std::uint64_t>(x) == 0;  // but not -0: sqrt(-0) is -0, pow(-0, 0.5) is 0
  return zero | ((y > min_result) & (y < max_result) & (distance < sure * ulp_below(y) * 2 * y));
}

/// Each block first runs straight-line arithmetic, which the compiler vectorizes, then calls pow for the few unsure
/// results.
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

#else  // no known error bound for other C libraries; and without a fused multiply-add the test costs more than pow

void libm_squares(std::span<const double> x, std::span<double> out) {
  std::transform(x.begin(), x.end(), out.begin(), [](double value) { return libm_pow(value, 2); });
}

void libm_roots(std::span<const double> x, std::span<double> out) {
  std::transform(x.begin(), x.end(), out.begin(), [](double value) { return libm_pow(value, 0.5); });
}

#endif

}  // namespace microgpt
