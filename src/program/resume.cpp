// microgpt train --resume: going on with a saved training. train_options.h declares resume() and go_on().
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "base/error.h"
#include "program/train_options.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Words = std::map<std::string, std::string>;

/// The same names may stand elsewhere, and a training may get longer.
bool may_change(const std::string& name) { return name == "data" || name == "steps"; }

ModelFileError cannot_resume(const std::string& path, const std::string& reason) {
  return ModelFileError(fmt::format("cannot resume '{}': {}", path, reason));
}

Error without_state(const std::string& path) {
  return Error(fmt::format("cannot resume '{}': it has a model, but not the state of its training; start anew", path));
}

/// Reads what was typed, and for the rest the saved words as if they had been typed. Throws UsageError unless these are
/// what their own training would save.
void read_again(const Options& table, TrainOptions& options, const Words& saved) {
  options = {};
  for (const Option& option : table) {
    const auto word = saved.find(option.name.substr(2));
    if (option.typed) {
      option.binding.read(option.name, *option.typed);
    } else if (option.saved && word != saved.end()) {
      option.binding.read(option.name, word->second);
    }
  }
  Words words = training_words(table, options);
  for (auto& [name, text] : words) {
    const auto word = saved.find(name);
    if (word == saved.end()) throw UsageError("it has no training." + name);
    if (may_change(name)) text = word->second;
  }
  if (words != saved) throw UsageError("the options of its training do not fit together");
}

}  // namespace

Checkpoint resume(const Options& table, TrainOptions& options) {
  const std::string path = *options.resume;
  Checkpoint checkpoint = load_checkpoint(path);
  if (!checkpoint.training || checkpoint.training->fingerprint.empty()) throw without_state(path);
  const Words& saved = checkpoint.training->options;
  for (const Option& option : table) {
    const std::string name = option.name.substr(2);
    if (!option.typed || !option.saved || may_change(name)) continue;
    const std::string now = option.binding.write(), then = checkpoint.trained_with(name);
    if (now == then) continue;
    throw UsageError(fmt::format("{} is {}, but '{}' was trained {}; leave out what contradicts it", option.name, now,
                                 path, then.empty() ? "without it" : "with " + then));
  }
  try {
    read_again(table, options, saved);
  } catch (const UsageError& error) {  // nobody typed it
    throw cannot_resume(path, error.what());
  }
  if (options.is_list() || (checkpoint.training->moments.empty() && num_moments(options.preset.train) > 0)) {
    throw without_state(path);
  }
  const std::string& data = options.data.path;
  const bool is_file = data != "-" && (!std::filesystem::exists(data) || std::filesystem::is_regular_file(data));
  if (!is_typed(table, "--data") && !is_file) {
    throw UsageError(
        fmt::format("'{}' was trained on '{}', which is not a file; give the names with --data", path, data));
  }
  return checkpoint;
}

void go_on(Run& run, Checkpoint checkpoint) {
  TrainingState& saved = *checkpoint.training;
  const std::string& path = *run.options.resume;
  Preset& preset = run.options.preset;
  if (saved.fingerprint != run.state.fingerprint) {
    throw Error(
        fmt::format("cannot resume '{}': it was trained on other data ({}) than '{}' ({}); give the same --data", path,
                    saved.fingerprint, run.options.data.path, run.state.fingerprint));
  }
  if (saved.step >= preset.train.num_steps) {
    throw UsageError(fmt::format("'{}' has done {} steps of {}; to go on, give a larger --steps", path, saved.step,
                                 preset.train.num_steps));
  }
  if (checkpoint.config != preset.model || checkpoint.tokenizer.characters() != run.start.tokenizer.characters()) {
    throw cannot_resume(path, "its model is not what its training's options and data make");
  }
  if (saved.moments.size() != num_moments(preset.train)) {
    throw cannot_resume(path, fmt::format("it has {} moments of its optimizer, not {}", saved.moments.size(),
                                          num_moments(preset.train)));
  }
  run.parameters = std::move(checkpoint.parameters);
  preset.train.first_step = saved.step;
  saved.options = std::move(run.state.options);
  run.state = std::move(saved);
}

}  // namespace microgpt
