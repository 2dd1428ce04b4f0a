#include "train/scalar_trainer.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/schedule.h"

namespace microgpt {
namespace {

/// Whether the MLP squares. The compiler warns here of a new activation: Model of src/microgpt.cpp gets a member for it,
/// which scalar_model() and config_of() translate.
bool is_squared(Activation activation) {
  switch (activation) {
    case Activation::relu: return false;
    case Activation::squared_relu: return true;
  }
  return false;
}

}  // namespace

StateDict::StateDict(const Parameters& parameters) {
  for (const Parameter& parameter : parameters.matrices()) {
    Matrix& rows = matrices[parameter.name];
    rows.resize(parameter.rows);
    for (std::size_t i = 0; i < parameter.rows; i++) {
      for (const double number : parameter.row(i)) rows[i].emplace_back("parameter", number);
      params.insert(params.end(), rows[i].begin(), rows[i].end());
    }
  }
}

StateDict::StateDict(const std::vector<Parameters::Shape>& shapes, double stddev, PythonRandom& random)
    : StateDict([&] {
        Parameters parameters(shapes);
        draw_weights(parameters, stddev, random);
        return parameters;
      }()) {}

void copy_data(const List& params, Parameters& parameters) {
  std::transform(params.begin(), params.end(), parameters.data().begin(), [](Value p) { return p.data(); });
}

Model scalar_model(const Config& config, const StateDict& state_dict) {
  if (!config.is_plain()) throw UsageError("the scalar path has multi-head attention only, no " + config.attention());
  Model model{.n_head = config.n_head,
              .block_size = config.block_size,
              .squared_relu = is_squared(config.activation),
              .wte = state_dict["wte"],
              .wpe = state_dict["wpe"],
              .lm_head = state_dict["lm_head"],
              .params = state_dict.params};
  for (std::size_t li = 0; li < config.n_layer; li++) {
    auto w = [&](const char* name) { return state_dict["layer" + std::to_string(li) + "." + name]; };
    model.layers.push_back({w("attn_wq"), w("attn_wk"), w("attn_wv"), w("attn_wo"), w("mlp_fc1"), w("mlp_fc2")});
  }
  return model;
}

Config config_of(const Model& model) {
  return {.vocab_size = model.wte.size(),
          .n_layer = model.layers.size(),
          .n_embd = model.wte[0].size(),
          .n_head = model.n_head,
          .block_size = model.block_size,
          .activation = model.squared_relu ? Activation::squared_relu : Activation::relu};
}

double train_step(const Loss& loss, std::span<const Token> tokens, const List& params, const Optimizer& optimizer,
                  double learning_rate, std::size_t step) {
  const Scope scope;
  const Value mean_loss = loss(tokens);
  if (!std::isfinite(mean_loss.data())) throw Diverged(step + 1, mean_loss.data());
  mean_loss.backward();
  optimizer(params, learning_rate, step);
  return mean_loss.data();
}

void train(const Loss& loss, const List& params, const Optimizer& optimizer, std::span<const Document> documents,
           const Tokenizer& tokenizer, const TrainConfig& how, const OnStep& on_step) {
  for (std::size_t step = how.first_step; step < how.num_steps; step++) {
    const std::vector<Token> tokens = tokenizer.encode_document(documents[step % documents.size()]);
    on_step(step + 1, train_step(loss, tokens, params, optimizer, learning_rate(how, step), step));
  }
}

}  // namespace microgpt
