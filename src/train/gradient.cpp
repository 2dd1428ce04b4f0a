#include "train/gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace microgpt {

LossAndGradient loss_and_gradient(const Loss& loss, const List& params, std::span<const Token> tokens) {
  const Scope scope;
  for (const Value p : params) p.node->grad = 0;
  const Value value = loss(tokens);
  value.backward();
  std::vector<double> gradient;
  for (const Value p : params) gradient.push_back(std::exchange(p.node->grad, 0));
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

}  // namespace microgpt
