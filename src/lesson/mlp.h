// The model without attention: an embedding and a multilayer perceptron (MLP) that see one token and predict the next.
#pragma once

#include <span>
#include <vector>

#include "base/parameters.h"
#include "base/tokenizer.h"
#include "scalar/values.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// wte (V,C), mlp_fc1 (4C,C), mlp_fc2 (V,4C).
std::vector<Parameters::Shape> mlp_shapes(std::size_t vocab_size, std::size_t n_embd);

struct Mlp {
  /// `parameters` must have mlp_shapes(), and outlive the model.
  explicit Mlp(const Parameters& parameters)
      : wte(matrix(parameters["wte"])), mlp_fc1(matrix(parameters["mlp_fc1"])), mlp_fc2(matrix(parameters["mlp_fc2"])) {}

  Matrix wte, mlp_fc1, mlp_fc2;
};

/// The logits, (V), of the token that comes after `token_id`.
Values mlp(const Mlp& model, Token token_id);

/// The mean over a document of -log p(next token), in nats. `tokens` is BOS, document, BOS, of any length.
Value document_loss(const Mlp& model, std::span<const Token> tokens);

}  // namespace microgpt
