#include "train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* format = "microgpt";

Error not_microgpt(const std::string& reason) { return Error{"it is not a microgpt checkpoint: " + reason}; }

const std::string& metadata_text(const Metadata& metadata, const std::string& name) {
  const auto field = metadata.find(name);
  if (field == metadata.end()) throw not_microgpt("__metadata__ has no text called " + name);
  return field->second;
}

std::size_t metadata_number(const Metadata& metadata, const std::string& name) {
  const std::string& text = metadata_text(metadata, name);
  const char* const end = text.data() + text.size();
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) throw Error(name + " is " + shown(text) + ", not a whole number");
  return number;
}

/// 0 if the field is missing: files of plain models do not have it.
std::size_t optional_number(const Metadata& metadata, const std::string& name) {
  return metadata.contains(name) ? metadata_number(metadata, name) : 0;
}

bool is_rope(const Metadata& metadata) {
  if (!metadata.contains("pos")) return false;
  const std::string& positions = metadata_text(metadata, "pos");
  if (positions != "learned" && positions != "rope")
    throw Error("pos is " + shown(positions) + ", neither learned nor rope");
  return positions == "rope";
}

MaskPattern mask_of(const Metadata& metadata) {
  return parse_mask_pattern(metadata.contains("mask") ? metadata_text(metadata, "mask") : "full");
}

Activation activation_of(const Metadata& metadata) {
  const std::string& name = metadata_text(metadata, "activation");
  std::string known;
  for (const NamedActivation& one : all_activations) {
    if (name == one.name) return one.activation;
    known += (known.empty() ? ", neither " : " nor ") + std::string(one.name);
  }
  throw Error("activation is " + shown(name) + known);
}

Tokenizer tokenizer_of(const Metadata& metadata) {
  return Tokenizer(decode_utf8(metadata_text(metadata, "characters")).value());  // the JSON parser has checked UTF-8
}

Config config_of(const Metadata& metadata, const Tokenizer& tokenizer) {
  const Config config{.vocab_size = tokenizer.vocab_size(),
                      .n_layer = metadata_number(metadata, "n_layer"),
                      .n_embd = metadata_number(metadata, "n_embd"),
                      .n_head = metadata_number(metadata, "n_head"),
                      .block_size = metadata_number(metadata, "block_size"),
                      .activation = activation_of(metadata),
                      .n_kv_head = optional_number(metadata, "n_kv_head"),
                      .q_latent = optional_number(metadata, "q_latent"),
                      .kv_latent = optional_number(metadata, "kv_latent"),
                      .rope_dim = optional_number(metadata, "rope_dim"),
                      .rope = is_rope(metadata),
                      .mask = mask_of(metadata)};
  validate(config);
  return config;
}

/// The first matrix with a value that is infinite or NaN, or nullptr.
const Parameter* not_finite(const Parameters& parameters) {
  for (const Parameter& matrix : parameters.matrices()) {
    if (!std::all_of(matrix.data, matrix.data + matrix.size(), [](double x) { return std::isfinite(x); })) {
      return &matrix;
    }
  }
  return nullptr;
}

/// Moves the numbers of a matrix out of the file.
void take(Safetensors& file, const Parameter& matrix) {
  const auto found = file.tensors.extract(matrix.name);
  const std::string which = "the tensor " + matrix.name;
  if (found.empty()) throw Error(which + " is missing");
  const Safetensors::Tensor& tensor = found.mapped();
  if (tensor.dtype != "F64") throw Error(which + " is not of dtype F64");
  if (tensor.shape != std::vector<std::uint64_t>{matrix.rows, matrix.cols}) {
    throw Error(which + " does not have the shape [" + std::to_string(matrix.rows) + ", " +
                std::to_string(matrix.cols) + "]");
  }
  std::copy(tensor.data.begin(), tensor.data.end(), matrix.data);
}

Checkpoint checkpoint_of(Safetensors file) {
  if (const std::string& found = metadata_text(file.metadata, "format"); found != format) {
    throw not_microgpt("its format is " + shown(found));
  }
  Tokenizer tokenizer = tokenizer_of(file.metadata);
  const Config config = config_of(file.metadata, tokenizer);
  std::size_t numbers = 0;
  for (const auto& [name, tensor] : file.tensors) numbers += tensor.data.size();
  // Checked before anything is allocated in a size that the file merely claims.
  if (numbers != num_parameters(config)) {
    throw Error("it has " + std::to_string(numbers) + " numbers, but its model has " +
                std::to_string(num_parameters(config)));
  }
  Parameters parameters(gpt_shapes(config));
  for (const Parameter& matrix : parameters.matrices()) take(file, matrix);
  if (!file.tensors.empty()) {
    throw Error("the tensor " + shown(file.tensors.begin()->first) + " is not one of this model");
  }
  if (const Parameter* matrix = not_finite(parameters)) {
    throw Error("the tensor " + matrix->name + " has a value that is not finite");
  }
  return {config, std::move(tokenizer), std::move(parameters)};
}

}  // namespace

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

std::string serialize_checkpoint(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters) {
  if (const Parameter* matrix = not_finite(parameters)) {
    throw Diverged("cannot save the model: " + matrix->name + " has a value that is not finite");
  }
  std::map<std::string, std::string> metadata{{"format", format},
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
    metadata["mask"] = mask_spec(config.mask);
    metadata["pos"] = config.rope ? "rope" : "learned";
  }
  std::vector<TensorToWrite> tensors;
  for (const Parameter& matrix : parameters.matrices()) {
    tensors.push_back({matrix.name, {matrix.rows, matrix.cols}, {matrix.data, matrix.size()}});
  }
  try {
    return serialize_safetensors(metadata, tensors);
  } catch (const Error&) {
    throw Error("cannot save the model: safetensors has no room for the names of " + std::to_string(config.n_layer) +
                " layers");
  }
}

void save_checkpoint(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                     const Parameters& parameters) {
  replace_file(path, serialize_checkpoint(config, tokenizer, parameters));
}

void rehearse_save(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                   const Parameters& parameters) {
  serialize_checkpoint(config, tokenizer, parameters);
  rehearse_replace_file(path);
}

}  // namespace microgpt
