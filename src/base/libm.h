// pow exactly as CPython computes x ** y. Optimisers rewrite pow(x, 2) as x * x, pow(x, -1) as 1 / x and
// pow(x, 0.5) as sqrt(x), which differ from the C library's pow in the last bit now and then; after a thousand steps
// of training that bit is everywhere.
#pragma once

#include <span>
#include <string_view>

namespace microgpt {

/// The C library's pow(x, y), whatever the optimiser thinks of y.
double libm_pow(double x, double y);

/// out[i] = libm_pow(x[i], 2), bit for bit, at the price of a multiplication for most numbers.
void libm_squares(std::span<const double> x, std::span<double> out);

/// out[i] = libm_pow(x[i], 0.5), bit for bit, at the price of a square root for most numbers. x[i] is not negative.
void libm_roots(std::span<const double> x, std::span<double> out);

/// No C library rounds all results right, and each errs elsewhere. The published losses were computed with those of
/// glibc on a processor that has a fused multiply-add. This is the first of exp, log, pow, sin and cos that rounds some
/// known result in another way; empty if none does, and then every loss can be the same to the last bit.
std::string_view libm_unlike_published();

}  // namespace microgpt
