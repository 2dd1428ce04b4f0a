#include "train/scalar_trainer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/schedule.h"
#include "base/split.h"

namespace microgpt {
namespace {

/// Every node on the tape, in the order in which they were made.
void print_tape() {
  for_each_node([](const Node& node) {
    std::fprintf(stderr, "%p %-9s data %+.6f grad %+.6f", static_cast<const void*>(&node), node.op, node.data,
                 node.grad);
    for (std::size_t c = 0; c < node.n_child; c++) {
      std::fprintf(stderr, "%s%p", c == 0 ? " of " : " ", static_cast<const void*>(node.child[c]));
    }
    if (node.n_row != 0) std::fprintf(stderr, " and %zu parameters", node.n_row);
    std::fputc('\n', stderr);
  });
}

/// Whether the MLP squares. A new activation does not compile here until src/microgpt.cpp knows it.
bool is_squared(Activation activation) {
  switch (activation) {
    case Activation::relu: return false;
    case Activation::squared_relu: return true;
  }
  return false;
}

bool trace_enabled() {
  const char* setting = std::getenv("MICROGPT_TRACE");
  return setting != nullptr && std::string_view(setting) == "1";
}

}  // namespace

Matrix matrix(const Parameter& parameter) { return {parameter.rows, parameter.cols, parameter.data, parameter.grad}; }

Model scalar_model(const Config& config, const Parameters& parameters) {
  if (!config.is_plain()) throw UsageError("the scalar path has multi-head attention only, no " + config.attention());
  Model model{config.n_layer,   config.n_embd, config.block_size, config.n_head, is_squared(config.activation),
              config.vocab_size};
  model.wte = matrix(parameters["wte"]);
  model.wpe = matrix(parameters["wpe"]);
  model.lm_head = matrix(parameters["lm_head"]);
  for (std::size_t li = 0; li < config.n_layer; li++) {
    auto w = [&](const char* name) { return matrix(parameters["layer" + std::to_string(li) + "." + name]); };
    model.layers.push_back({w("attn_wq"), w("attn_wk"), w("attn_wv"), w("attn_wo"), w("mlp_fc1"), w("mlp_fc2")});
  }
  return model;
}

Config config_of(const Model& model) {
  return {.vocab_size = model.vocab_size,
          .n_layer = model.n_layer,
          .n_embd = model.n_embd,
          .n_head = model.n_head,
          .block_size = model.block_size,
          .activation = model.squared_relu ? Activation::squared_relu : Activation::relu};
}

Start prepare(std::vector<Document> documents, bool hold_out, Config& config, PythonRandom& random) {
  Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  Split names = hold_out ? split(std::move(documents)) : Split{std::move(documents), {}};
  random.shuffle(names.training);
  validate(config);
  return {std::move(names.training), std::move(tokenizer), std::move(names.held_out)};
}

double train_step(const Loss& loss, std::span<const Token> tokens, Parameters& parameters, Optimizer& optimizer,
                  double learning_rate, std::size_t step) {
  static const bool trace = trace_enabled();
  const Scope scope;
  const Value mean_loss = loss(tokens);
  if (!std::isfinite(mean_loss.data())) throw Diverged(step + 1, mean_loss.data());
  mean_loss.backward();
  if (trace) print_tape();
  optimizer.update(parameters, learning_rate, step);
  return mean_loss.data();
}

void train(const Loss& loss, Parameters& parameters, Optimizer& optimizer, std::span<const Document> documents,
           const Tokenizer& tokenizer, const TrainConfig& how, const OnStep& on_step) {
  for (std::size_t step = how.first_step; step < how.num_steps; step++) {
    const std::vector<Token> tokens = tokenizer.encode_document(documents[step % documents.size()]);
    on_step(step + 1, train_step(loss, tokens, parameters, optimizer, learning_rate(how, step), step));
  }
}

}  // namespace microgpt
