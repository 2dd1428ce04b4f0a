// The options of microgpt train.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "program/options.h"
#include "program/shape_options.h"

namespace microgpt {

struct TrainOptions {
  std::string preset = "gist";
  std::string data = "data/names.txt";
  ShapeOptions shape;
  std::optional<std::size_t> steps, batch_size, threads, save_every, every;
  std::optional<double> learning_rate, dropout, weight_decay;
  std::string seed = "42";
  std::size_t samples = 20;
  double temperature = 0.5;
  std::string digits = "4";
  std::string engine = "scalar";
  std::string optimizer = "adam";
  std::optional<std::string> dtype, kernels, loss, positions, mask;
  bool hold_out = false;
  bool quiet = false;
  std::optional<std::string> save, resume, history;
};

/// Adds them all to the command.
void add_train_options(Command& command, TrainOptions& options);

/// The preset, changed by the given options. Throws UsageError if they do not fit together.
Preset chosen_preset(const TrainOptions& options);

/// Whether training_words() can have a word for this option.
bool is_training_word(const std::string& name);

/// What decides the numbers of a training, by option without "--": {"lr", "0.01"}. Also "data", the path.
std::map<std::string, std::string> training_words(const TrainOptions& options, const Preset& chosen);

}  // namespace microgpt
