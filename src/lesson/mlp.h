// The model without attention: an embedding and a multilayer perceptron (MLP) that see one token and predict the next.
// Lessons 03 and 04 train it with Values of their own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/parameters.h"
#include "base/tokenizer.h"
#include "microgpt.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// wte (V,C), mlp_fc1 (4C,C), mlp_fc2 (V,4C).
inline std::vector<Parameters::Shape> mlp_shapes(std::size_t vocab_size, std::size_t n_embd) {
  return {{"wte", vocab_size, n_embd}, {"mlp_fc1", 4 * n_embd, n_embd}, {"mlp_fc2", vocab_size, 4 * n_embd}};
}

struct Mlp {
  /// Copies its numbers from parameters that have mlp_shapes().
  explicit Mlp(const Parameters& parameters) : Mlp(StateDict(parameters)) {}
  explicit Mlp(const StateDict& state_dict)
      : wte(state_dict["wte"]),
        mlp_fc1(state_dict["mlp_fc1"]),
        mlp_fc2(state_dict["mlp_fc2"]),
        params(state_dict.params) {}

  Matrix wte, mlp_fc1, mlp_fc2;
  List params;
};

/// The logits, (V), of the token that comes after `token_id`.
inline Values mlp(const Mlp& model, Token token_id) {
  return linear(relu(linear(model.wte[token_id], model.mlp_fc1)), model.mlp_fc2);
}

/// The mean over a document of -log p(next token), in nats. `tokens` is BOS, document, BOS, of any length.
inline Value document_loss(const Mlp& model, std::span<const Token> tokens) {
  return mean(
      Values(tokens.size() - 1, [&](std::size_t i) { return cross_entropy(mlp(model, tokens[i]), tokens[i + 1]); }));
}

}  // namespace microgpt
