#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/parse.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* format = "microgpt";
const std::string training_prefix = "training.", counted_documents = "counting.documents",
                  gpt_share = "counting.gpt_share";
const std::array<std::string, 2> moment_names{"adam.m.", "adam.v."};

Error not_microgpt(const std::string& reason) { return Error{"it is not a microgpt checkpoint: " + reason}; }

std::string metadata_text(const Metadata& metadata, const std::string& name) {
  const auto field = metadata.find(name);
  if (field == metadata.end()) throw not_microgpt("__metadata__ has no text called " + name);
  return field->second;
}

std::size_t metadata_number(const Metadata& metadata, const std::string& name) {
  const std::string& text = metadata_text(metadata, name);
  if (const std::optional<std::size_t> number = parse_whole(text)) return *number;
  throw Error(name + " is " + shown(text) + ", not a whole number");
}

/// 0 if the field is missing: files of plain models do not have it.
std::size_t optional_number(const Metadata& metadata, const std::string& name) {
  return metadata.contains(name) ? metadata_number(metadata, name) : 0;
}

/// The place of a text among those that it may be.
std::size_t index_of(const Metadata& metadata, const std::string& name, const std::vector<std::string>& words) {
  const std::string& text = metadata_text(metadata, name);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string known;
  for (const std::string& word : words) known += (known.empty() ? ", neither " : " nor ") + word;
  throw Error(name + " is " + shown(text) + known);
}

Config config_of(const Metadata& metadata, const Tokenizer& tokenizer) {
  std::vector<std::string> activations;
  for (const NamedActivation& one : all_activations) activations.emplace_back(one.name);
  const Config config{.vocab_size = tokenizer.vocab_size(),
                      .n_layer = metadata_number(metadata, "n_layer"),
                      .n_embd = metadata_number(metadata, "n_embd"),
                      .n_head = metadata_number(metadata, "n_head"),
                      .block_size = metadata_number(metadata, "block_size"),
                      .activation = all_activations[index_of(metadata, "activation", activations)].activation,
                      .n_kv_head = optional_number(metadata, "n_kv_head"),
                      .q_latent = optional_number(metadata, "q_latent"),
                      .kv_latent = optional_number(metadata, "kv_latent"),
                      .rope_dim = optional_number(metadata, "rope_dim"),
                      .rope = metadata.contains("pos") && index_of(metadata, "pos", {"learned", "rope"}) == 1,
                      .masks = parse_mask_patterns(metadata.contains("mask") ? metadata.at("mask") : "full")};
  validate(config);
  return config;
}

/// What is wrong with the numbers of a tensor: one is not finite, or so large that sums of its square are not.
std::optional<std::string> flaw_of(const std::string& tensor, std::span<const double> numbers) {
  constexpr double max = 1e100;
  const auto wrong = std::find_if_not(numbers.begin(), numbers.end(), [](double x) { return std::abs(x) <= max; });
  if (wrong == numbers.end()) return {};
  if (!std::isfinite(*wrong)) return fmt::format("the tensor {} has a value that is not finite", tensor);
  return fmt::format("the tensor {} has the value {}; a model can use at most {}", tensor, *wrong, max);
}

/// Moves a tensor for each matrix out of the file, and its numbers to their place in the order of the store.
void take(Safetensors& file, const std::string& prefix, const Parameters& parameters, std::span<double> to) {
  auto place = to.begin();
  for (const Parameter& matrix : parameters.matrices()) {
    const auto found = file.tensors.extract(prefix + matrix.name);
    const std::string which = "the tensor " + prefix + matrix.name;
    if (found.empty()) throw Error(which + " is missing");
    const auto& [shape, data] = found.mapped();
    if (shape != std::vector<std::uint64_t>{matrix.rows, matrix.cols}) {
      throw Error(fmt::format("{} does not have the shape [{}, {}]", which, matrix.rows, matrix.cols));
    }
    if (const auto flaw = flaw_of(found.key(), data)) throw Error(*flaw);
    place = std::copy(data.begin(), data.end(), place);
  }
}

std::optional<TrainingState> training_of(Safetensors& file, const Parameters& parameters, std::size_t num_moments,
                                         const Tokenizer& tokenizer) {
  if (!file.metadata.contains(training_prefix + "step")) return {};
  TrainingState training{.fingerprint = metadata_text(file.metadata, training_prefix + "fingerprint"),
                         .step = metadata_number(file.metadata, training_prefix + "step")};
  if (training.step == 0 && num_moments > 0) throw Error(training_prefix + "step is 0");
  for (const auto& [name, text] : file.metadata) {
    if (!name.starts_with(training_prefix)) continue;
    if (text.size() > 1000) throw Error(shown(name) + " is too long");  // a message may have to show it
    training.options[name.substr(training_prefix.size())] = text;
  }
  for (const char* other : {"step", "fingerprint"}) training.options.erase(other);
  if (file.metadata.contains(gpt_share)) {
    const std::string& share = metadata_text(file.metadata, gpt_share);
    training.gpt_share = parse_double(share).value_or(-1);
    if (!(training.gpt_share >= 0 && training.gpt_share <= 1)) {
      throw Error(gpt_share + " is " + shown(share) + ", not a number from 0 to 1");
    }
    training.counted = parse_documents(metadata_text(file.metadata, counted_documents), counted_documents,
                                       [&](const Document& document) { tokenizer.encode(document); });
  }
  for (std::size_t i = 0; i < num_moments; i++) {
    take(file, moment_names[i], parameters, training.moments.emplace_back(parameters.size()));
  }
  return training;
}

Checkpoint checkpoint_of(Safetensors file) {
  if (const std::string& found = metadata_text(file.metadata, "format"); found != format) {
    throw not_microgpt("its format is " + shown(found));
  }
  Tokenizer tokenizer(decode_utf8(metadata_text(file.metadata, "characters")).value());  // UTF-8: JSON was checked
  const Config config = config_of(file.metadata, tokenizer);
  const std::size_t num_moments = file.tensors.contains(moment_names[0] + "wte") ? moment_names.size() : 0;
  std::size_t numbers = 0;
  for (const auto& [name, tensor] : file.tensors) numbers += tensor.data.size();
  // Checked before anything is allocated in a size that the file merely claims.
  const std::size_t expected = num_parameters(config) * (1 + num_moments);
  if (numbers != expected) {
    throw Error("it has " + std::to_string(numbers) + " numbers, but its model has " + std::to_string(expected));
  }
  Parameters parameters(gpt_shapes(config));
  take(file, "", parameters, parameters.data());
  std::optional<TrainingState> training = training_of(file, parameters, num_moments, tokenizer);
  if (!file.tensors.empty()) {
    throw Error("the tensor " + shown(file.tensors.begin()->first) + " is not one of this model");
  }
  return {config, std::move(tokenizer), std::move(parameters), std::move(training)};
}

}  // namespace

std::string Checkpoint::trained_with(const std::string& option) const {
  if (!training) return "";
  const auto found = training->options.find(option);
  return found == training->options.end() ? "" : found->second;
}

std::optional<Mixture> Checkpoint::mixture() const {
  if (!training || training->counted.empty()) return {};
  return Mixture{training->gpt_share, Ngram(training->counted, tokenizer)};
}

Checkpoint parse_checkpoint(std::istream& in, const std::string& name) {
  try {
    return checkpoint_of(read_safetensors(in));
  } catch (const Error& error) {  // also a UsageError: the user did not choose this config, the file did
    throw ModelFileError("cannot load '" + name + "': " + error.what());
  }
}

Checkpoint load_checkpoint(const std::string& path) {
  std::ifstream in = open_file(path);
  return parse_checkpoint(in, path);
}

namespace {

Metadata metadata_of(const Config& config, const Tokenizer& tokenizer, const std::optional<TrainingState>& training) {
  Metadata metadata{{"format", format},
                    {"n_layer", std::to_string(config.n_layer)},
                    {"n_embd", std::to_string(config.n_embd)},
                    {"n_head", std::to_string(config.n_head)},
                    {"block_size", std::to_string(config.block_size)},
                    {"activation", named(config.activation).name},
                    {"characters", encode_utf8(tokenizer.characters())}};
  if (!config.is_plain()) {
    metadata["n_kv_head"] = std::to_string(config.n_kv_head);
    metadata["q_latent"] = std::to_string(config.q_latent);
    metadata["kv_latent"] = std::to_string(config.kv_latent);
    metadata["rope_dim"] = std::to_string(config.rope_dim);
    metadata["mask"] = mask_specs(config.masks);
    metadata["pos"] = config.rope ? "rope" : "learned";
  }
  if (training) {
    for (const auto& [name, text] : training->options) metadata[training_prefix + name] = text;
    metadata[training_prefix + "fingerprint"] = training->fingerprint;
    metadata[training_prefix + "step"] = std::to_string(training->step);
    if (!training->counted.empty()) metadata[gpt_share] = fmt::format("{}", training->gpt_share);
    for (const Document& document : training->counted) metadata[counted_documents] += encode_utf8(document) + "\n";
  }
  return metadata;
}

}  // namespace

std::string serialize_checkpoint(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters,
                                 const std::optional<TrainingState>& training) {
  std::vector<TensorToWrite> tensors;
  auto add = [&](const std::string& prefix, std::span<const double> numbers) {
    std::size_t first = 0;
    for (const Parameter& matrix : parameters.matrices()) {
      tensors.push_back({prefix + matrix.name, {matrix.rows, matrix.cols}, numbers.subspan(first, matrix.size())});
      first += matrix.size();
    }
  };
  add("", parameters.data());
  for (std::size_t i = 0; training && i < training->moments.size(); i++) add(moment_names.at(i), training->moments[i]);
  for (const TensorToWrite& tensor : tensors) {
    if (const auto flaw = flaw_of(tensor.name, tensor.data)) throw Diverged("cannot save the model: " + *flaw);
  }
  try {
    return serialize_safetensors(metadata_of(config, tokenizer, training), tensors);
  } catch (const Error&) {
    throw Error("cannot save the model: safetensors has no room for the names of " + std::to_string(config.n_layer) +
                " layers");
  }
}

void save_checkpoint(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                     const Parameters& parameters, const std::optional<TrainingState>& training) {
  replace_file(path, serialize_checkpoint(config, tokenizer, parameters, training));
}

}  // namespace microgpt
