#include "train/gradient.h"

#include <algorithm>
#include <cmath>

namespace microgpt {

LossAndGradient loss_and_gradient(const Loss& loss, Parameters& parameters, std::span<const Token> tokens) {
  const Scope scope;
  std::ranges::fill(parameters.grad(), 0.0);
  const Value value = loss(tokens);
  value.backward();
  std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
  std::ranges::fill(parameters.grad(), 0.0);
  return {value.data(), std::move(gradient)};
}

double largest_slope_error(const Loss& loss, Parameters& parameters, const std::string& matrix,
                           std::span<const Token> tokens) {
  const Parameter& weights = parameters[matrix];
  const std::vector<double> gradient = loss_and_gradient(loss, parameters, tokens).gradient;
  const auto first = static_cast<std::size_t>(weights.data - parameters.data().data());
  double worst = 0;
  for (std::size_t i = 0; i < weights.size(); i++) {
    double& weight = weights.data[i];
    const double old = weight;
    auto loss_at = [&](double value) {
      const Scope scope;
      weight = value;
      return loss(tokens).data();
    };
    const double up = old + 1e-5;
    const double down = old - 1e-5;
    const double slope = (loss_at(up) - loss_at(down)) / (up - down);
    weight = old;
    const double error = std::abs(gradient[first + i] - slope);
    if (std::isnan(error)) return error;  // std::max would pass over it
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace microgpt
