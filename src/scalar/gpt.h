// gpt(): tokens in, logits out, one position at a time. A transformer decoder in the manner of GPT-2, with RMSNorm
// instead of LayerNorm, no biases, and ReLU (or its square) instead of GeLU.
#pragma once

#include <cstddef>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "scalar/matrix.h"
#include "scalar/values.h"

namespace microgpt {

/// The parameters of a GPT by name, as the scalar path uses them.
struct Model {
  /// `parameters` must have gpt_shapes(config), and outlive the model. Throws UsageError unless config.is_plain().
  Model(const Config& config, const Parameters& parameters);

  struct Layer {
    Matrix attn_wq, attn_wk, attn_wv, attn_wo;  // (C, C)
    Matrix mlp_fc1;                             // (4C, C)
    Matrix mlp_fc2;                             // (C, 4C)
  };

  Config config;
  Matrix wte;      // (V, C) token embeddings
  Matrix wpe;      // (T, C) position embeddings
  Matrix lm_head;  // (V, C)
  std::vector<Layer> layers;
};

/// What attention remembers of the positions before, keys and values of each layer: cache[layer][position] is (C).
using Cache = std::vector<std::vector<Values>>;

/// The logits, (V), of the token that comes after `token_id` at position `pos_id`. keys and values hold one list for
/// each layer, with the positions 0 to pos_id - 1; this position is added to them.
Values gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values);

/// The mean over a document of -log p(next token): how surprised the model is, in nats. `tokens` is BOS, document, BOS;
/// at most block_size of its predictions count.
Value document_loss(const Model& model, std::span<const Token> tokens);

}  // namespace microgpt
