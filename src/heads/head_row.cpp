#include "heads/head_row.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace microgpt {
namespace {

std::vector<double> row_of(View<const double> x, std::size_t i) { return {x.row(i), x.row(i) + x.cols}; }

/// All of the row but what is written.
void look(HeadRow& row, const LayerAttention& attention, std::size_t h, std::size_t t) {
  const AttentionHead<double> head = attention.call.head(h);
  const Tensor<double> weights = attention_weights(attention.call);
  row.query = row_of(head.q, t);
  for (std::size_t s = 0; s <= t; s++) {
    if (!head.mask.allows(t, s)) continue;
    LookedAt at{s, row_of(head.k, s), row_of(head.k, s), 0, 0, 0, row_of(head.v, s)};
    for (std::size_t j = 0; j < at.products.size(); j++) at.products[j] *= row.query[j];
    at.sum = std::accumulate(at.products.begin(), at.products.end(), 0.0);
    at.score = at.sum * attention.call.scale;
    at.weight = weights.view().row(h * head.q.rows + t)[s];
    row.seen.push_back(std::move(at));
  }
  row.output = row_of(attention.x_attn.slice_cols(h * head.v.cols, head.v.cols), t);
}

}  // namespace

std::vector<std::size_t> HeadRow::strongest(std::size_t n) const {
  std::vector<std::size_t> order(seen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return seen[a].weight > seen[b].weight; });
  order.resize(std::min(n, order.size()));
  return order;
}

HeadRow head_row(const Config& config, const Parameters& parameters, std::span<const Token> tokens, HeadId id,
                 std::size_t t) {
  if (id.layer >= config.n_layer || id.head >= config.n_head || t >= tokens.size()) {
    throw std::out_of_range("head_row: no such head or position");
  }
  std::vector<Token> document(tokens.begin(), tokens.end());
  document.push_back(tokens[0]);  // the last position needs a target; nothing here depends on it
  Probe probe(config, parameters, {{document, 0, 1}});
  HeadRow row{{}, {}, {}, std::vector<double>(config.n_embd)};
  probe.each_attention([&](std::size_t, std::size_t layer, const LayerAttention& attention) {
    if (layer == id.layer) look(row, attention, id.head, t);
  });
  const std::size_t D = row.output.size();
  const std::string layer = "layer" + std::to_string(id.layer);
  const Parameter& attn_wo = parameters[layer + ".attn_wo"];
  for (std::size_t i = 0; i < config.n_embd; i++) {
    for (std::size_t j = 0; j < D; j++) row.written[i] += attn_wo.row(i)[id.head * D + j] * row.output[j];
  }
  return row;
}

}  // namespace microgpt
