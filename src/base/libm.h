// pow exactly as CPython computes x ** y. Optimisers rewrite pow(x, 2) as x * x, pow(x, -1) as 1 / x and
// pow(x, 0.5) as sqrt(x), which differ from the C library's pow in the last bit now and then; after a thousand steps
// of training that bit is everywhere.
#pragma once

#include <span>

namespace microgpt {

/// The C library's pow(x, y), whatever the optimiser thinks of y.
double libm_pow(double x, double y);

/// out[i] = libm_pow(x[i], 2), bit for bit, at the price of a multiplication for most numbers.
void libm_squares(std::span<const double> x, std::span<double> out);

/// out[i] = libm_pow(x[i], 0.5), bit for bit, at the price of a square root for most numbers. x[i] is not negative.
void libm_roots(std::span<const double> x, std::span<double> out);

}  // namespace microgpt
