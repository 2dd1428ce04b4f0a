// Arithmetic that counts its operations.
#pragma once

#include <cmath>
#include <cstddef>

namespace microgpt {

inline std::size_t products, exps;  // how many were computed so far

inline double dot(const double* a, const double* b, std::size_t n) {
  products += n;
  double total = 0;
  for (std::size_t j = 0; j < n; j++) total += a[j] * b[j];
  return total;
}

/// to += factor * x.
inline void add(double* to, double factor, const double* x, std::size_t n) {
  products += n;
  for (std::size_t j = 0; j < n; j++) to[j] += factor * x[j];
}

inline void multiply(double* x, double factor, std::size_t n) {
  products += n;
  for (std::size_t j = 0; j < n; j++) x[j] *= factor;
}

inline double exponential(double x) {
  exps++;
  return std::exp(x);
}

}  // namespace microgpt
