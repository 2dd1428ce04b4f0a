// The gradient of a document's loss, computed in two ways: by backward(), and by changing parameters a little.
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

/// The largest |gradient - slope| among these parameters. The slope is measured: change a parameter by 1e-5 up and down,
/// and divide the difference of the losses by that of the parameters (a central difference).
double largest_slope_error(const Loss& loss, const Matrix& matrix, std::span<const Token> tokens);

}  // namespace microgpt
