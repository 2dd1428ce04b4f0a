// Slopes by trying, for the examples on paper: lesson 02's central differences.
#pragma once

#include <functional>
#include <span>
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

}  // namespace microgpt
