// The gradient of a document's loss, and how far two gradients are apart.
#pragma once

#include <span>
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
LossAndGradient loss_and_gradient(const Loss& loss, const List& params, std::span<const Token> tokens);

/// The largest |a[i] - b[i]|: the difference between two results for the same quantity. Infinite if the sizes differ,
/// and NaN if any number is NaN; neither is below any tolerance.
double largest_difference(std::span<const double> a, std::span<const double> b);

}  // namespace microgpt
