#include "scalar/gpt.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/libm.h"
#include "scalar/ops.h"

namespace microgpt {
Model::Model(const Config& config_, const Parameters& parameters)
    : config(config_), wte(parameters["wte"]), wpe(parameters["wpe"]), lm_head(parameters["lm_head"]) {
  if (!config.is_plain()) throw UsageError("the scalar path has no " + config.attention() + "; use --engine tensor");
  for (std::size_t i = 0; i < config.n_layer; i++) {
    auto matrix = [&](const char* name) { return Matrix(parameters["layer" + std::to_string(i) + "." + name]); };
    layers.push_back({matrix("attn_wq"), matrix("attn_wk"), matrix("attn_wv"), matrix("attn_wo"), matrix("mlp_fc1"),
                      matrix("mlp_fc2")});
  }
}

Values gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values) {
  const std::size_t H = model.config.n_head;
  const std::size_t D = model.config.head_dim();
  const double sqrt_head_dim = libm_pow(static_cast<double>(D), 0.5);

  const Values tok_emb = model.wte[token_id];
  const Values pos_emb = model.wpe[pos_id];
  Values x = add(tok_emb, pos_emb);  // what the token is, and where it stands
  x = rmsnorm(x);                    // not redundant: the residual connection leads past the next one

  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];

    // 1) Multi-head attention: each head looks back over the positions so far with its own slice of q, k and v.
    Values x_residual = x;
    x = rmsnorm(x);
    const Values q = linear(x, layer.attn_wq);
    const Values k = linear(x, layer.attn_wk);
    const Values v = linear(x, layer.attn_wv);
    keys[li].push_back(k);
    values[li].push_back(v);
    std::vector<Value> x_attn;
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t hs = h * D;
      const Values q_h = q.slice(hs, D);
      auto k_h = [&](std::size_t t) { return keys[li][t].slice(hs, D); };
      auto v_h = [&](std::size_t t) { return values[li][t].slice(hs, D); };
      const Values attn_logits(pos_id + 1, [&](std::size_t t) { return dot(q_h, k_h(t)) / sqrt_head_dim; });
      const Values attn_weights = softmax(attn_logits);
      const Values head_out(D, [&](std::size_t j) {
        return dot(attn_weights, Values(pos_id + 1, [&](std::size_t t) { return v_h(t)[j]; }));
      });
      for (const Value out : head_out) x_attn.push_back(out);
    }
    x = linear(Values(x_attn), layer.attn_wo);
    x = add(x, x_residual);

    // 2) MLP: each position thinks for itself.
    x_residual = x;
    x = rmsnorm(x);
    x = linear(x, layer.mlp_fc1);
    x = relu(x);
    if (model.config.squared_relu) x = Values(x.size(), [&](std::size_t i) { return pow(x[i], 2.0); });
    x = linear(x, layer.mlp_fc2);
    x = add(x, x_residual);
  }
  return linear(x, model.lm_head);
}

Value document_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.config.block_size, tokens.size() - 1);
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  return mean(Values(n, [&](std::size_t pos_id) {
    const Values logits = gpt(model, tokens[pos_id], pos_id, keys, values);
    return cross_entropy(logits, tokens[pos_id + 1]);
  }));
}

}  // namespace microgpt
