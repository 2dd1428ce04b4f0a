#include "lesson/draft_gpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "train/evaluation.h"

namespace microgpt {
namespace {

template <class F>
Rows each(const Rows& x, F f) {
  Rows y;
  for (const Values& row : x) y.push_back(f(row));
  return y;
}

}  // namespace

Rows linear(const Rows& x, const Matrix& w) {
  return each(x, [&](const Values& row) { return linear(row, w); });
}

Rows slice(const Rows& rows, std::size_t start, std::size_t n) {
  return each(rows, [&](const Values& row) { return row.slice(start, n); });
}

Values one_head(const Values& q, const Rows& keys, const Rows& values, double scale) {
  const std::size_t n = keys.size();
  const Values weights = softmax(Values(n, [&](std::size_t s) { return dot(q, keys[s]) * scale; }));
  return Values(values[0].size(),
                [&](std::size_t j) { return dot(weights, Values(n, [&](std::size_t s) { return values[s][j]; })); });
}

Values all_heads(const Values& q, const Rows& keys, const Rows& values, std::size_t n_head) {
  const std::size_t K = q.size() / n_head, D = values[0].size() / n_head;
  const double scale = 1 / std::sqrt(static_cast<double>(K));
  std::vector<Value> x_attn;
  for (std::size_t h = 0; h < n_head; h++) {
    const Values out = one_head(q.slice(h * K, K), slice(keys, h * K, K), slice(values, h * D, D), scale);
    for (const Value number : out) x_attn.push_back(number);
  }
  return Values(x_attn);
}

Values rotated(const Values& x, double angle) {
  const double cos = std::cos(angle), sin = std::sin(angle);
  return Values(x.size(),
                [&](std::size_t i) { return i % 2 == 0 ? x[i] * cos - x[i + 1] * sin : x[i - 1] * sin + x[i] * cos; });
}

std::vector<Parameters::Shape> draft_shapes(const Config& config, const std::vector<Parameters::Shape>& attention) {
  const std::size_t C = config.n_embd;
  std::vector<Parameters::Shape> all{
      {"wte", config.vocab_size, C}, {"wpe", config.block_size, C}, {"lm_head", config.vocab_size, C}};
  for (std::size_t i = 0; i < config.n_layer; i++) {
    const std::string layer = fmt::format("layer{}.", i);
    for (const Parameters::Shape& shape : attention) all.push_back({layer + shape.name, shape.rows, shape.cols});
    all.push_back({layer + "mlp_fc1", 4 * C, C});
    all.push_back({layer + "mlp_fc2", C, 4 * C});
  }
  return all;
}

double mean_over_predictions(std::span<const double> losses, std::span<const Document> names) {
  double total = 0, predictions = 0;
  for (std::size_t i = 0; i < names.size(); i++) {
    const auto n = static_cast<double>(std::min(names[i].size() + 1, Config{}.block_size));
    total += n * losses[i];
    predictions += n;
  }
  return total / predictions;
}

void print(const std::vector<Outcome>& results, std::size_t num_steps) {
  std::size_t width = 4;
  for (const Outcome& result : results) width = std::max(width, result.label.size());
  fmt::print("mean of 3 seeds, {} names each; training: the last 100 names; held out: all predictions in new names\n",
             num_steps);
  fmt::print("{:{}} | parameters | training | held out | minus {}\n", "form", width, results[0].label);
  for (const Outcome& result : results) {
    fmt::print("{:{}} | {:10} | {:8.4f} | {:8.4f}", result.label, width, result.parameters,
               estimate(result.training).mean, estimate(result.held_out).mean);
    const Difference d = difference(result.held_out, results[0].held_out);
    if (&result != &results[0])
      fmt::print(" | {:7.4f} +- {:.4f}{}", d.mean, d.margin, d.is_clear() ? "" : ", may be noise");
    fmt::print("\n");
  }
}

}  // namespace microgpt
