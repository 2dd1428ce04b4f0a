#include "heads/in_numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tensor/gpt.h"
#include "train/held_out.h"

namespace microgpt {
namespace {

std::vector<double> row_of(View<const double> x, std::size_t i) { return {x.row(i), x.row(i) + x.cols}; }

/// The forward of the first t + 1 tokens.
Activations<double> read(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                         std::size_t t) {
  std::vector<Token> document(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1);
  document.push_back(tokens[0]);  // the last position needs a target; no logit depends on it
  TensorModel<double> model(config, parameters, t + 1);
  Activations<double> activations = gpt_forward(model, fast<double>(), document);
  require_finite("the loss", activations.losses.view().data[t]);
  return activations;
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
    if (layer != id.layer) return;
    const AttentionHead<double> head = attention.call.head(id.head);
    const Tensor<double> weights = attention_weights(attention.call);
    row.query = row_of(head.q, t);
    for (std::size_t s = 0; s <= t; s++) {
      if (!head.mask.allows(t, s)) continue;
      LookedAt at{s, row_of(head.k, s), row_of(head.k, s), 0, 0, 0, row_of(head.v, s)};
      for (std::size_t j = 0; j < at.products.size(); j++) at.products[j] *= row.query[j];
      at.sum = std::accumulate(at.products.begin(), at.products.end(), 0.0);
      at.score = at.sum * attention.call.scale;
      at.weight = weights.view().row(id.head * head.q.rows + t)[s];
      row.seen.push_back(std::move(at));
    }
    row.output = row_of(attention.x_attn.slice_cols(id.head * head.v.cols, head.v.cols), t);
  });
  const std::size_t D = row.output.size();
  const std::string layer = "layer" + std::to_string(id.layer);
  const Parameter& attn_wo = parameters[layer + ".attn_wo"];
  for (std::size_t i = 0; i < config.n_embd; i++) {
    for (std::size_t j = 0; j < D; j++) row.written[i] += attn_wo.row(i)[id.head * D + j] * row.output[j];
  }
  return row;
}

LogitParts logit_parts(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                       std::size_t t) {
  if (t >= tokens.size()) throw std::out_of_range("logit_parts: no such position");
  const std::size_t C = config.n_embd, D = config.head_dim();
  const Activations<double> a = read(config, parameters, tokens, t);
  LogitParts found{row_of(a.logits.view(), t), {}};
  // `stream` (C) is what the part adds to the residual stream; clear() takes it out of a model.
  auto add = [&](const std::string& name, const double* stream, auto clear) {
    std::vector<double> adds;
    const Parameter& lm_head = parameters["lm_head"];
    for (std::size_t i = 0; i < lm_head.rows; i++) {
      adds.push_back(std::inner_product(stream, stream + C, lm_head.row(i).begin(), 0.0));
    }
    Parameters changed(gpt_shapes(config));
    std::copy(parameters.data().begin(), parameters.data().end(), changed.data().begin());
    clear(changed);
    found.parts.push_back({name, adds, row_of(read(config, changed, tokens, t).logits.view(), t)});
  };
  // These n columns of a matrix, times `input` (n), are what the part adds.
  auto add_writer = [&](const std::string& name, const std::string& matrix, std::size_t first, std::size_t n,
                        const double* input) {
    const Parameter& weights = parameters[matrix];
    std::vector<double> stream;
    for (std::size_t i = 0; i < C; i++) {
      stream.push_back(std::inner_product(input, input + n, &weights.row(i)[first], 0.0));
    }
    add(name, stream.data(), [&](Parameters& p) { clear_columns(p[matrix], first, n); });
  };
  add(config.rope ? "letter" : "letter and position", a.x.view().row(t), [&](Parameters& p) {
    clear_columns(p["wte"], 0, C);
    if (!config.rope) clear_columns(p["wpe"], 0, C);
  });
  for (std::size_t li = 0; li < config.n_layer; li++) {
    const std::string number = std::to_string(li), layer = "layer " + number, matrix = "layer" + number;
    for (std::size_t h = 0; h < config.n_head; h++) {
      const double* const head_out = a.layers[li].attention.x_attn.view().row(t) + h * D;
      add_writer(layer + ", head " + std::to_string(h), matrix + ".attn_wo", h * D, D, head_out);
    }
    add_writer(layer + ", MLP", matrix + ".mlp_fc2", 0, 4 * C, a.layers[li].active.view().row(t));
  }
  return found;
}

double loss_of(std::span<const double> logits, Token token) {
  double total = 0;  // of exp(logit - this one's)
  const double max = *std::max_element(logits.begin(), logits.end());
  for (const double logit : logits) total += std::exp(logit - max);
  return max - logits[token] + std::log(total);
}

}  // namespace microgpt
