// Training with src/microgpt.cpp: with any parameters, any loss and any optimizer.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "microgpt.h"
#include "train/generate.h"
#include "train/optimizer.h"

namespace microgpt {

/// Parameters as Values, microgpt.py's state_dict: a Matrix for each of a store's, a leaf for each number. Lives as
/// long as the Scope in which it was made.
struct StateDict {
  explicit StateDict(const Parameters& parameters);
  /// Drawn from gauss(0, stddev), in this order.
  StateDict(const std::vector<Parameters::Shape>& shapes, double stddev, PythonRandom& random);

  /// Throws std::out_of_range if no matrix has that name.
  const Matrix& operator[](const std::string& name) const { return matrices.at(name); }

  std::map<std::string, Matrix> matrices;
  List params;  // of all matrices, in the order of the store
};

/// Copies the numbers of params in the order of the store to it.
void copy_data(const List& params, Parameters& parameters);

/// The model of src/microgpt.cpp with these parameters, which must have gpt_shapes(config). Throws UsageError unless
/// config.is_plain().
Model scalar_model(const Config& config, const StateDict& state_dict);
inline Model scalar_model(const Config& config, const Parameters& parameters) {
  return scalar_model(config, StateDict(parameters));
}

/// The shape of a model.
Config config_of(const Model& model);

/// The loss of a document: BOS, its tokens, BOS.
using Loss = std::function<Value(std::span<const Token> tokens)>;

/// One step of training on one document. Returns its loss before the update, in nats per token. Throws Diverged if the
/// loss is not finite.
double train_step(const Loss& loss, std::span<const Token> tokens, const List& params, const Optimizer& optimizer,
                  double learning_rate, std::size_t step);

using OnStep = std::function<void(std::size_t steps_done, double loss)>;

/// Runs the steps from how.first_step to how.num_steps, one document each, with how.learning_rate on its schedule.
/// After the last document comes the first again.
void train(
    const Loss& loss, const List& params, const Optimizer& optimizer, std::span<const Document> documents,
    const Tokenizer& tokenizer, const TrainConfig& how, const OnStep& on_step = [](std::size_t, double) {});

}  // namespace microgpt
