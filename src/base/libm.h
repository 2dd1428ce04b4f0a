// pow exactly as CPython computes x ** y. Optimizers rewrite pow(x, 2) as x * x, pow(x, -1) as 1 / x and pow(x, 0.5) as
// sqrt(x). These sometimes differ from the C library's pow in the last bit, and after a thousand training steps the
// difference has spread to every parameter.
#pragma once

#include <span>
#include <string_view>

namespace microgpt {

/// The C library's pow(x, y), even if the optimizer knows y.
double libm_pow(double x, double y);

/// out[i] = libm_pow(x[i], 2), bit for bit. Most numbers cost only a multiplication.
void libm_squares(std::span<const double> x, std::span<double> out);

/// out[i] = libm_pow(x[i], 0.5), bit for bit. Most numbers cost only a square root. x[i] must not be negative.
void libm_roots(std::span<const double> x, std::span<double> out);

/// C libraries differ in the last bit of some results. The published losses were computed with glibc on a processor
/// with a fused multiply-add. Returns the first of exp, log, pow, sin and cos that rounds a known result differently
/// here. Returns an empty string if none does: then every loss can match to the last bit.
std::string_view libm_unlike_published();

}  // namespace microgpt
