#include "scalar/ops.h"

#include <algorithm>
#include <stdexcept>

namespace microgpt {
namespace {

void require_same_size(std::size_t a, std::size_t b, const char* where) {
  if (a != b)
    throw std::invalid_argument(std::string(where) + ": sizes " + std::to_string(a) + " and " + std::to_string(b));
}

/// The numbers of x side by side, kept on the tape.
std::span<const double> data_of(Values x) {
  const std::span<double> numbers = tape.numbers(x.size());
  std::transform(x.nodes().begin(), x.nodes().end(), numbers.begin(), [](const Node* node) { return node->data; });
  return numbers;
}

}  // namespace

Value sum(Values x) {
  const std::span<double> ones = tape.numbers(x.size());
  std::fill(ones.begin(), ones.end(), 1.0);
  double total = 0;
  for (const Node* node : x.nodes()) total += node->data;
  return Value(tape.record(Op::sum, total, x.nodes(), ones.data()));
}

Value mean(Values x) { return (1.0 / static_cast<double>(x.size())) * sum(x); }

// The children are a[0], b[0], a[1], b[1], ...: the order in which the reference meets them.
Value dot(Values a, Values b) {
  require_same_size(a.size(), b.size(), "dot");
  const std::span<Node*> child = tape.pointers(2 * a.size());
  const std::span<double> local_grad = tape.numbers(2 * a.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    Node* const ai = a.nodes()[i];
    Node* const bi = b.nodes()[i];
    total += ai->data * bi->data;
    child[2 * i] = ai;
    child[2 * i + 1] = bi;
    local_grad[2 * i] = bi->data;
    local_grad[2 * i + 1] = ai->data;
  }
  return Value(tape.record(Op::dot, total, child, local_grad.data()));
}

Values linear(Values x, const Matrix& w) {
  require_same_size(x.size(), w.cols(), "linear");
  const std::span<const double> x_data = data_of(x);
  return Values(w.rows(), [&](std::size_t i) {
    const std::span<const double> row = w.parameter().row(i);
    double total = 0;
    for (std::size_t j = 0; j < row.size(); j++) total += row[j] * x_data[j];
    return Value(tape.record(Op::linear, total, x.nodes(), row.data(), w.parameter().grad_row(i), x_data.data()));
  });
}

Values softmax(Values logits) {
  double max_val = logits[0].data();
  for (const Value logit : logits) max_val = std::max(max_val, logit.data());
  const Values exps(logits.size(), [&](std::size_t i) { return exp(logits[i], max_val); });
  const Value total = sum(exps);
  return Values(exps.size(), [&](std::size_t i) { return exps[i] / total; });
}

Values rmsnorm(Values x) {
  const Value mean_square = dot(x, x) / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

Values add(Values a, Values b) {
  require_same_size(a.size(), b.size(), "add");
  return Values(a.size(), [&](std::size_t i) { return a[i] + b[i]; });
}

Values relu(Values x) {
  return Values(x.size(), [&](std::size_t i) { return relu(x[i]); });
}

Values activate(Values x, Activation activation) {
  const Values y = relu(x);
  if (activation == Activation::relu) return y;
  return Values(y.size(), [&](std::size_t i) { return pow(y[i], 2.0); });
}

Values detach(Values x) {
  return Values(x.size(), [&](std::size_t i) { return x[i].data(); });
}

Value cross_entropy(Values logits, std::size_t target) { return -log(softmax(logits)[target]); }

}  // namespace microgpt
