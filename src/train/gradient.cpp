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

double largest_slope_error(const Loss& loss, const Matrix& matrix, std::span<const Token> tokens) {
  List params;
  for (const List& row : matrix) params.insert(params.end(), row.begin(), row.end());
  std::vector<double> slopes;
  for (const Value p : params) {
    const double old = p.data();
    auto loss_at = [&](double value) {
      const Scope scope;
      p.node->data = value;
      return loss(tokens).data();
    };
    const double up = old + 1e-5;
    const double down = old - 1e-5;
    slopes.push_back((loss_at(up) - loss_at(down)) / (up - down));
    p.node->data = old;
  }
  return largest_difference(loss_and_gradient(loss, params, tokens).gradient, slopes);
}

}  // namespace microgpt
