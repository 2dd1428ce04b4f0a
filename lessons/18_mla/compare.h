// The attention of src/tensor, in its three ways; and the draft position by position.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "numbers.h"
#include "tensor/attention_cache.h"
#include "tensor/gpt.h"

namespace lesson14 {

/// All positions at once, as in training.
inline std::vector<Numbers> src_training(const Config& config, const Parameters& parameters,
                                         const std::vector<Numbers>& xs) {
  const std::size_t T = xs.size(), C = config.n_embd;
  const TensorModel<double> model(config, parameters);
  const AttentionLayer<double>& layer = model.layers[0].attention;
  AttentionActivations<double> activations;
  activations.resize(layer.shape, T, T);
  Tensor<double> x(T, C), out(T, C);
  for (std::size_t t = 0; t < T; t++) std::copy(xs[t].begin(), xs[t].end(), x.view().row(t));
  std::vector<std::size_t> positions(T);
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<Sequence> document{{{0, T}, {0, T}, &model.mask}};
  const View<const double> rows = x.view();
  layer.forward(out.view(), {}, fast<double>(), {rows, rows, positions, positions, document}, activations);
  std::vector<Numbers> outs;
  for (std::size_t t = 0; t < T; t++) outs.emplace_back(out.view().row(t), out.view().row(t) + C);
  return outs;
}

/// One position after the other, with src/tensor/attention_cache.h.
inline std::vector<Numbers> src_decoding(const Config& config, const Parameters& parameters,
                                         const std::vector<Numbers>& xs, bool absorbed) {
  const TensorModel<double> model(config, parameters);
  AttentionCache<double> cache(model.layers[0].attention, xs.size(), absorbed);
  std::vector<Numbers> outs;
  for (std::size_t t = 0; t < xs.size(); t++) {
    Tensor<double> x(1, config.n_embd), out(1, config.n_embd);
    std::copy(xs[t].begin(), xs[t].end(), x.view().row(0));
    cache.decode(out.view(), x.view(), fast<double>(), model.mask, t);
    outs.emplace_back(out.view().row(0), out.view().row(0) + config.n_embd);
  }
  return outs;
}

/// One position after the other, with the draft.
template <class Draft>
std::vector<Numbers> decode_all(Draft draft, const std::vector<Numbers>& xs, bool absorbed) {
  std::vector<Numbers> outs;
  for (const Numbers& x : xs) outs.push_back(draft.decode(x, absorbed));
  return outs;
}

/// How many products it takes to decode the T-th token.
template <class Draft>
std::size_t products_of_token(Draft draft, const std::vector<Numbers>& xs, std::size_t T, bool absorbed) {
  for (std::size_t t = 0; t + 1 < T; t++) draft.decode(xs[t], true);
  products = 0;
  draft.decode(xs[T - 1], absorbed);
  return products;
}

inline double largest_difference(const std::vector<Numbers>& a, const std::vector<Numbers>& b) {
  double most = 0;
  for (std::size_t t = 0; t < a.size(); t++) {
    for (std::size_t i = 0; i < a[t].size(); i++) most = std::max(most, std::abs(a[t][i] - b[t][i]));
  }
  return most;
}

/// The numbers here are around 1, the longest sums have some dozens of terms, and each rounding is 1.1e-16 of what is
/// summed: two ways to add up the same differ by less than this.
constexpr double tolerance = 1e-12;

}  // namespace lesson14
