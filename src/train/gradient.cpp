#include "train/gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace microgpt {

LossAndGradient loss_and_gradient(const Loss& loss, Parameters& parameters, std::span<const Token> tokens) {
  const Scope scope;
  std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
  const Value value = loss(tokens);
  value.backward();
  std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
  std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
  return {value.data(), std::move(gradient)};
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

double largest_slope_error(const Loss& loss, Parameters& parameters, const std::string& matrix,
                           std::span<const Token> tokens) {
  const Parameter& weights = parameters[matrix];
  const std::vector<double> gradient = loss_and_gradient(loss, parameters, tokens).gradient;
  const auto first = static_cast<std::size_t>(weights.data - parameters.data().data());
  std::vector<double> slopes;
  for (double& weight : std::span(weights.data, weights.size())) {
    const double old = weight;
    auto loss_at = [&](double value) {
      const Scope scope;
      weight = value;
      return loss(tokens).data();
    };
    const double up = old + 1e-5;
    const double down = old - 1e-5;
    slopes.push_back((loss_at(up) - loss_at(down)) / (up - down));
    weight = old;
  }
  return largest_difference(std::span(gradient).subspan(first, weights.size()), slopes);
}

}  // namespace microgpt
