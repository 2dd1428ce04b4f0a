#include "program/resume.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/python_random.h"
#include "train/scalar_trainer.h"
#include "train/optimizer.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

/// The same names may stand elsewhere, and a training may get longer.
bool may_change(const std::string& name) { return name == "data" || name == "steps"; }

/// Reads a word as if it had been typed. Throws UsageError if it could not have been.
void read_word(const std::vector<Option>& readers, const std::string& name, const std::string& text) {
  for (const Option& option : readers) {
    if (option.name != "--" + name) continue;
    const std::vector<std::string> words =
        option.flag == nullptr ? option.words : std::vector<std::string>{"yes", "no"};
    if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) break;
    if (option.flag == nullptr) return option.read(text);
    *option.flag = text == "yes";
    return;
  }
  throw UsageError(fmt::format("training.{} is '{}'", name, text));
}

}  // namespace

Checkpoint resume(const std::vector<Option>& readers, const std::set<std::string>& typed, TrainOptions& options) {
  const std::string& path = *options.resume;
  Checkpoint checkpoint = load_checkpoint(path);
  if (!checkpoint.training) {
    throw Error(fmt::format("cannot resume '{}': it has a model, but not the state of its training; start anew", path));
  }
  const std::map<std::string, std::string>& saved = checkpoint.training->options;
  auto contradicts = [&](const std::string& name, const std::string& now, const std::string& then) {
    return UsageError(
        fmt::format("--{} is {}, but '{}' was trained with {}; leave out what contradicts it", name, now, path, then));
  };
  // Before all others, which depend on these two.
  for (const auto& [name, now] : {std::pair{"engine", options.engine}, std::pair{"preset", options.preset}}) {
    const auto then = saved.find(name);
    if (typed.contains(std::string("--") + name) && then != saved.end() && then->second != now) {
      throw contradicts(name, now, then->second);
    }
  }
  bool is_typed = false;
  std::map<std::string, std::string> words;
  try {
    for (const auto& [name, text] : saved) {
      if (!is_training_word(name)) throw UsageError("no option training." + name);
      const bool keep = typed.contains("--" + name);
      is_typed |= keep && !may_change(name);
      if (!keep) read_word(readers, name, text);
    }
    words = training_words(options, chosen_preset(options));
    PythonRandom{std::string_view(options.seed)};
  } catch (const UsageError& error) {
    if (is_typed) throw;  // what was typed does not fit the rest
    throw ModelFileError(fmt::format("cannot resume '{}': {}", path, error.what()));
  }
  for (const auto& [name, text] : saved) {
    if (words.contains(name)) continue;
    if (!is_typed) throw ModelFileError(fmt::format("cannot resume '{}': --{} does not fit its others", path, name));
    throw UsageError(fmt::format("'{}' was trained with --{} {}; leave out what contradicts it", path, name, text));
  }
  for (const auto& [name, text] : words) {
    const auto found = saved.find(name);
    if (found == saved.end())
      throw ModelFileError(fmt::format("cannot resume '{}': it has no training.{}", path, name));
    if (text == found->second || may_change(name)) continue;
    throw contradicts(name, text, found->second);
  }
  if (!typed.contains("--data") && fs::exists(options.data) && !fs::is_regular_file(options.data)) {
    throw UsageError(
        fmt::format("'{}' was trained on '{}', which is not a file; give the names with --data", path, options.data));
  }
  return checkpoint;
}

void go_on(Run& run, Checkpoint checkpoint, const TrainOptions& options) {
  TrainingState& saved = *checkpoint.training;
  const std::string& path = *options.resume;
  if (saved.fingerprint != run.state.fingerprint) {
    throw Error(
        fmt::format("cannot resume '{}': it was trained on other data ({}) than '{}' ({}); give the same --data", path,
                    saved.fingerprint, options.data, run.state.fingerprint));
  }
  if (saved.step >= run.preset.train.num_steps) {
    throw UsageError(fmt::format("'{}' has done {} steps of {}; to go on, give a larger --steps", path, saved.step,
                                 run.preset.train.num_steps));
  }
  auto fail = [&](const std::string& reason) {
    return ModelFileError(fmt::format("cannot resume '{}': {}", path, reason));
  };
  Preset with_saved = run.preset;
  with_saved.model = checkpoint.config;
  if (training_words(options, with_saved) != run.state.options ||
      checkpoint.config.activation != run.preset.model.activation ||
      checkpoint.tokenizer.characters() != run.start.tokenizer.characters()) {
    throw fail("its model is not what its training's options and data make");
  }
  const std::size_t num_moments = make_optimizer(run.preset.train, 0)->moments().size();
  if (saved.moments.size() != num_moments) {
    throw fail(fmt::format("it has {} moments of its optimizer, not {}", saved.moments.size(), num_moments));
  }
  run.preset.model = checkpoint.config;
  run.parameters = std::move(checkpoint.parameters);
  run.preset.train.first_step = saved.step;
  run.state.step = saved.step;
  run.state.moments = std::move(saved.moments);
}

std::string data_fingerprint(const Start& start) {
  std::vector<Document> all = start.documents;
  all.push_back(start.tokenizer.characters());
  return fmt::format("{} documents, fingerprint {:016x}", start.documents.size(), fingerprint(all));
}

}  // namespace microgpt
