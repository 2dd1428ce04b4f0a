// The gradient of a document's loss, and how far two gradients are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/tokenizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// A loss, and its derivative with respect to every parameter.
struct LossAndGradient {
  double loss;
  std::vector<double> gradient;

  /// Equal to the last bit.
  bool operator==(const LossAndGradient&) const = default;
};

/// Uses backward(). Afterwards the gradients of params are zero.
inline LossAndGradient loss_and_gradient(const Loss& loss, const List& params, std::span<const Token> tokens) {
  const Scope scope;
  for (const Value p : params) p.node->grad = 0;
  const Value value = loss(tokens);
  value.backward();
  std::vector<double> gradient;
  for (const Value p : params) gradient.push_back(std::exchange(p.node->grad, 0));
  return {value.data(), std::move(gradient)};
}

/// The largest |a[i] - b[i]|: the difference between two results for the same quantity. Infinite if the sizes differ,
/// and NaN if any number is NaN; neither is below any tolerance.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace microgpt
