#include "inspect/head_row.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tensor/kernels.h"

namespace microgpt {
namespace {

std::vector<double> row_of(View<const double> x, std::size_t i) { return {x.row(i), x.row(i) + x.cols}; }

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
  TensorModel<double> model(config, parameters, tokens.size());
  Batch batch(config.block_size);
  std::vector<Token> document(tokens.begin(), tokens.end());
  document.push_back(tokens[0]);  // the last position needs a target; nothing here depends on it
  batch.add(document);
  Activations<double> activations;
  activations.resize(model, batch.num_positions());
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);

  const AttentionActivations<double>& a = activations.layers[id.layer].attention;
  const AttentionShape& shape = model.layers[id.layer].attention.shape;
  const auto call = AttentionCall<double>::of(shape, a.q.view(), a.k.view(), a.v.view(), model.mask);
  const AttentionHead<double> head = call.head(id.head);
  const Tensor<double> weights = attention_weights(call);
  HeadRow row{row_of(head.q, t), {}, {}, std::vector<double>(config.n_embd)};
  for (std::size_t s = 0; s <= t; s++) {
    if (!model.mask.allows(t, s)) continue;
    LookedAt at{s, row_of(head.k, s), row_of(head.k, s), 0, 0, 0, row_of(head.v, s)};
    for (std::size_t j = 0; j < at.products.size(); j++) at.products[j] *= row.query[j];
    at.sum = std::accumulate(at.products.begin(), at.products.end(), 0.0);
    at.score = at.sum * shape.scale();
    at.weight = weights.view().row(id.head * batch.num_positions() + t)[s];
    row.seen.push_back(std::move(at));
  }
  const std::size_t D = shape.value_dim;
  const double* const output = a.x_attn.view().row(t) + id.head * D;
  row.output.assign(output, output + D);
  const std::string layer = "layer" + std::to_string(id.layer);
  const Parameter& attn_wo = parameters[layer + ".attn_wo"];
  for (std::size_t i = 0; i < config.n_embd; i++) {
    for (std::size_t j = 0; j < D; j++) row.written[i] += attn_wo.row(i)[id.head * D + j] * row.output[j];
  }
  return row;
}

}  // namespace microgpt
