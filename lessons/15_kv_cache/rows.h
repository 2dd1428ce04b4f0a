// The layers of earlier lessons for one token, in plain doubles, and a count of their work.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parameters.h"

namespace microgpt {

using Row = std::vector<double>;

inline std::size_t products = 0;  // how many were computed

inline Row linear(const Parameter& w, const Row& x) {
  products += w.size();
  Row y(w.rows);
  for (std::size_t i = 0; i < w.rows; i++) {
    for (std::size_t j = 0; j < w.cols; j++) y[i] += w.row(i)[j] * x[j];
  }
  return y;
}

inline Row rmsnorm(Row x) {
  double squares = 0;
  for (const double number : x) squares += number * number;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
  for (double& number : x) number *= scale;
  return x;
}

inline Row add(Row x, std::span<const double> y) {
  for (std::size_t j = 0; j < x.size(); j++) x[j] += y[j];
  return x;
}

inline Row relu(Row x) {
  for (double& number : x) number = std::max(number, 0.0);
  return x;
}

/// Minus the logarithm of the probability that these logits give to a token.
inline double surprise(const Row& logits, std::size_t token) {
  double total = 0;
  for (const double logit : logits) total += std::exp(logit - logits[token]);
  return std::log(total);
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i++) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace microgpt
