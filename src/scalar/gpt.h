// What src/microgpt.cpp defines, in the same order: read that file first. A transformer decoder in the manner of GPT-2,
// with RMSNorm instead of LayerNorm, no biases, and ReLU (or its square) instead of GeLU.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "scalar/matrix.h"
#include "scalar/values.h"

namespace microgpt {

class PythonRandom;

/// What training starts from.
struct Start {
  std::vector<Document> documents;  // in random order
  Tokenizer tokenizer;
};

/// Reads the documents of a file, collects their alphabet and shuffles them. With hold_out, only the training part of
/// split() is used. Sets config.vocab_size. Throws Error if the file cannot be read, and UsageError if the config is
/// not valid. Then initialize() of base/parameters.h draws the parameters.
Start prepare(const std::string& path, bool hold_out, Config& config, PythonRandom& random);

/// The parameters of a GPT by name, for the scalar path.
struct Model {
  /// `parameters` must have gpt_shapes(config), and outlive the model. Throws UsageError unless config.is_plain().
  Model(const Config& config, const Parameters& parameters);

  struct Layer {
    Matrix attn_wq, attn_wk, attn_wv, attn_wo;  // (C,C)
    Matrix mlp_fc1;                             // (4C,C)
    Matrix mlp_fc2;                             // (C,4C)
  };

  Config config;
  Matrix wte;      // (V,C)
  Matrix wpe;      // (T,C)
  Matrix lm_head;  // (V,C)
  std::vector<Layer> layers;
};

/// What attention keeps of the positions so far: cache[layer][position] is (C).
using Cache = std::vector<std::vector<Values>>;

/// The logits, (V), of the token that comes after `token_id` at position `pos_id`. keys and values must hold the
/// positions 0 to pos_id - 1; gpt() adds this position to them.
Values gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values);

/// The mean over a document of -log p(next token): how surprised the model is, in nats. `tokens` is BOS, document, BOS.
/// Only the first block_size predictions count.
Value document_loss(const Model& model, std::span<const Token> tokens);

/// Turns a gradient into a step of the parameters.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Moves every parameter against its gradient and sets the gradients to zero. Steps count from 0.
  virtual void update(Parameters& parameters, double learning_rate, std::size_t step) = 0;

  /// What it remembers from step to step: lists with a number for each parameter.
  virtual std::vector<std::span<double>> moments() { return {}; }
};

/// Adam (Kingma and Ba, 2015): each parameter moves along the running mean of its gradients, divided by the root of the
/// running mean of their squares, so that all of them move at a similar pace.
class Adam : public Optimizer {
 public:
  Adam(const TrainConfig& train, std::size_t n);  // for n parameters
  void update(Parameters& parameters, double learning_rate, std::size_t step) override;
  std::vector<std::span<double>> moments() override { return {m_, v_}; }

 private:
  double beta1_, beta2_, eps_;
  std::vector<double> m_;                        // running mean of each parameter's gradient
  std::vector<double> v_;                        // running mean of its square
  std::vector<double> squares_, v_hat_, roots_;  // in one step
};

/// The loss of a document: BOS, its tokens, BOS.
using Loss = std::function<Value(std::span<const Token> tokens)>;

/// One step of training on one document. Returns its loss before the update, in nats per token. Throws Diverged if the
/// loss is not finite.
double train_step(const Loss& loss, std::span<const Token> tokens, Parameters& parameters, Optimizer& optimizer,
                  double learning_rate, std::size_t step);

using OnStep = std::function<void(std::size_t steps_done, double loss)>;

/// Runs the steps from how.first_step to how.num_steps, one document each, with how.learning_rate on its schedule.
/// After the last document comes the first again.
void train(
    const Loss& loss, Parameters& parameters, Optimizer& optimizer, std::span<const Document> documents,
    const Tokenizer& tokenizer, const TrainConfig& how, const OnStep& on_step = [](std::size_t, double) {});

/// The next token, drawn in proportion to softmax(logits / temperature). A temperature below 1 makes likely tokens
/// likelier, one above 1 evens them out. Throws Error if the logits are not finite.
Token draw_token(Values logits, double temperature, PythonRandom& random);

/// Returns the token that follows `token_id` at position `pos_id`.
using Next = std::function<Token(Token token_id, std::size_t pos_id)>;

/// A new document: the token after BOS, then the token after that, until BOS comes or there are max_tokens.
std::vector<Token> generate(const Next& next, Token bos, std::size_t max_tokens);

/// A new document of at most block_size tokens. It begins with `prompt`.
std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {});

}  // namespace microgpt
