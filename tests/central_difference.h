// The oracle of every gradient: go a little to the right and a little to the left, and see how much f changes.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "microgpt.h"

namespace microgpt {

struct CentralDifference {
  double slope;
  double error;  // how far the slope may be from the true one
};

/// The slope of f at x. `rounding` bounds how far a computed f is from the exact one. The error has two sources:
/// - Truncation. (f(x+h) - f(x-h)) / 2h = f'(x) + h^2/6 f'''(x) + O(h^4). With 2h in place of h the second term is four
///   times as large, so the two quotients differ by three times the truncation of the first.
/// - Rounding. Either f may be off by `rounding`, so the quotient by rounding / h.
template <class F>
CentralDifference central_difference(F f, double x, double rounding) {
  constexpr double h = 0x1p-16;
  auto quotient = [&](double step) {
    const double right = x + step;
    const double left = x - step;
    return (f(right) - f(left)) / (right - left);
  };
  const double slope = quotient(h);
  return {slope, std::abs(quotient(2 * h) - slope) + rounding / h};
}

/// Compares every gradient of `params` with its central difference. `loss` computes a Value from them; a computed
/// loss is at most `rounding` from the exact one.
template <class Loss>
void check_central_differences(const List& params, double rounding, Loss loss) {
  for (std::size_t i = 0; i < params.size(); i++) {
    double& parameter = params[i].node->data;
    const double original = parameter;
    auto vary = [&](double varied) {
      const Scope scope;
      parameter = varied;
      return loss().data();
    };
    const auto [slope, error] = central_difference(vary, original, rounding);
    parameter = original;
    CAPTURE(i);
    CHECK(std::abs(params[i].grad() - slope) <= error);
    CHECK(error < 1e-6);  // no kink of relu in between: the test is sharp
  }
}

}  // namespace microgpt
