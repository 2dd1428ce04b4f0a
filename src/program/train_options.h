// The options of microgpt train, and what a training is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/options.h"
#include "tensor/batch.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/scalar_trainer.h"

namespace microgpt {

enum class Engine : std::uint8_t { scalar, tensor };

struct TrainOptions {
  Preset preset = microgpt::preset("gist");  // changed by what was typed
  std::string attention = "mha";
  DataFile data;
  std::uint64_t seed = 42;
  Engine engine = Engine::scalar;
  Dtype dtype = Dtype::f32;
  bool naive = false;
  LossMean loss_mean = LossMean::documents;
  std::optional<std::size_t> threads, save_every;
  std::size_t samples = 20;
  double temperature = 0.5;
  bool all_digits = false;
  bool hold_out = false;
  bool quiet = false;
  bool force = false;  // to save over any file
  std::optional<std::string> save, resume;

  /// Changes the preset, and what goes with it.
  void use(const std::string& name);
  bool is_list() const { return preset.name == "list"; }
};

/// What training starts from.
struct Start {
  std::vector<Document> documents;  // in random order
  Tokenizer tokenizer;              // of all documents
  std::vector<Document> held_out = {};
};

/// What training needs, and what it leaves.
struct Run {
  TrainOptions& options;
  Start start;
  PythonRandom& random;
  Parameters parameters = Parameters({});
  TrainingState state = {};  // for a later --resume
};

/// The table of them all. It refers to `options`. A new one needs a field and a line here; or the line alone, if it
/// sets a field of Config or TrainConfig.
Options train_options(TrainOptions& options);

void require_fit(const Options& table, const TrainOptions& options);

/// saved_words(): what decides the numbers of this training. Also "data", the path.
std::map<std::string, std::string> training_words(Options table, const TrainOptions& options);

// Going on with a saved training: resume.cpp.

/// The checkpoint at options.resume. Sets all options that a checkpoint keeps to those of that training. `table` is of
/// `options`. Throws UsageError if something that was typed contradicts the file, and Error if the file does not hold a
/// training.
Checkpoint resume(const Options& table, TrainOptions& options);

/// Sets `run` to where the checkpoint's training stopped. Throws Error if the data is not the same, UsageError if there
/// are no steps left, and ModelFileError if the checkpoint contradicts itself.
void go_on(Run& run, Checkpoint checkpoint);

}  // namespace microgpt
