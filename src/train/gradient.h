// The gradient of a document's loss in two ways: by backward(), and by trying.
#pragma once

#include <span>
#include <vector>

#include "base/parameters.h"
#include "base/tokenizer.h"
#include "scalar/gpt.h"

namespace microgpt {

/// A loss, and how fast it changes with every parameter, in the order of the store.
struct LossAndGradient {
  double loss;
  std::vector<double> gradient;

  /// To the last bit.
  bool operator==(const LossAndGradient&) const = default;
};

/// By backward(). The gradients in `parameters` are zero afterwards.
LossAndGradient loss_and_gradient(const Loss& loss, Parameters& parameters, std::span<const Token> tokens);

/// The largest |a[i] - b[i]|: how far two answers to the same question are apart. Infinite if their sizes differ, and
/// not a number if one of the numbers is not; neither is below any tolerance.
double largest_difference(std::span<const double> a, std::span<const double> b);

/// The largest |gradient - slope| among the parameters of one matrix of the store, where the slope is tried: a step of
/// 1e-5 up, one down, and the difference of the two losses (a central difference).
double largest_slope_error(const Loss& loss, Parameters& parameters, const std::string& matrix,
                           std::span<const Token> tokens);

}  // namespace microgpt
