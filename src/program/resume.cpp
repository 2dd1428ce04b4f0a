#include "program/resume.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "scalar/gpt.h"

namespace microgpt {
namespace {

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
    throw Error(fmt::format("cannot resume '{}': it has a model, but not the state of its training", path));
  }
  const std::map<std::string, std::string>& saved = checkpoint.training->options;
  try {
    for (const auto& [name, text] : saved) {
      if (!typed.contains("--" + name)) read_word(readers, name, text);
    }
  } catch (const UsageError& error) {
    throw ModelFileError(fmt::format("cannot resume '{}': {}", path, error.what()));
  }
  const std::map<std::string, std::string> words = training_words(options, chosen_preset(options));
  for (const auto& [name, text] : words) {
    const auto found = saved.find(name);
    if (found == saved.end()) throw ModelFileError(fmt::format("cannot resume '{}': no training.{}", path, name));
    if (text == found->second || name == "data" || name == "steps") continue;
    throw UsageError(fmt::format("--{} is {}, but '{}' was trained with {}; leave out what contradicts it", name, text,
                                 path, found->second));
  }
  return checkpoint;
}

std::string data_fingerprint(const Start& start) {
  std::vector<Document> all = start.documents;
  all.push_back(start.tokenizer.characters());
  return fmt::format("{} documents, fingerprint {:016x}", start.documents.size(), fingerprint(all));
}

}  // namespace microgpt
