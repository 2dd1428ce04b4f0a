// Slopes by trying, for the examples on paper: lesson 02's central differences.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace microgpt {

/// How fast the loss changes with each of these numbers, by nudging it up and down.
inline std::vector<double> nudged(std::span<double> numbers, const std::function<double()>& loss) {
  constexpr double h = 1e-5;
  std::vector<double> slopes;
  for (double& x : numbers) {
    const double old = std::exchange(x, x + h), above = loss();
    x = old - h;
    slopes.push_back((above - loss()) / (2 * h));
    x = old;
  }
  return slopes;
}

/// Numbers in a row, with three decimals each, and 0 where rounding leaves nothing: "  0.344 -0.227".
inline std::string listed(std::span<const double> numbers) {
  std::string text;
  for (const double x : numbers) text += fmt::format(" {:6.3f}", std::abs(x) < 5e-4 ? 0 : x);
  return text;
}

}  // namespace microgpt
