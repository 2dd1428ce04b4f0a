// A checkpoint: a trained model in a file, with everything needed to use it. The file is safetensors: each parameter
// matrix is an F64 tensor of the same name, shape (rows, cols). The metadata holds the rest as text:
//
//   format                                "microgpt"
//   n_layer, n_embd, n_head, block_size   whole numbers
//   activation                            its name in base/activation.h
//   characters                            the alphabet of the tokenizer
//
// If attention is not plain, also n_kv_head, q_latent, kv_latent and rope_dim; mask, as one word, or one for each
// layer; and pos, "rope" or "learned".
//
// If training can go on from here, there are also F64 tensors adam.m.NAME and adam.v.NAME for each matrix NAME (Adam's
// two running means), and in the metadata:
//
//   training.step        how many steps are done
//   training.fingerprint of the documents
//   training.OPTION      an option of the training, as typed: training.lr is 0.01
//
// If counting helps the model to predict, the metadata also has:
//
//   counting.gpt_share   of a prediction; the rest is of the counts
//   counting.documents   what is counted, a document per line
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "train/ngram.h"

namespace microgpt {

/// A readable file that holds no valid model.
struct ModelFileError : Error {
  using Error::Error;
};

/// What training needs, besides the model, to go on exactly where it stopped.
struct TrainingState {
  std::map<std::string, std::string> options = {};  // by name, without "--"
  std::string fingerprint = {};                     // of the documents
  std::size_t step = 0;                             // how many steps are done
  std::vector<std::vector<double>> moments = {};    // of the optimizer: lists with a number for each parameter
  double gpt_share = 1;                             // of a prediction; the rest is that of counting ...
  std::vector<Document> counted = {};               // ... these documents
};

struct Checkpoint {
  Config config;
  Tokenizer tokenizer;
  Parameters parameters;
  std::optional<TrainingState> training = {};

  /// What an option of the training was, as typed; empty if the file does not say.
  std::string trained_with(const std::string& option) const;

  /// The model and what counting adds to it, if something does.
  std::optional<Mixture> mixture() const;

  /// Whether its training held nothing back, as far as the file says.
  bool has_seen_all() const { return trained_with("hold-out") != "yes"; }
};

/// Writes a checkpoint, replacing the file completely or not at all. The parameters must have gpt_shapes(config), and
/// config.vocab_size must match the tokenizer. Throws Error if the file cannot be written or a number is not finite.
void save_checkpoint(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                     const Parameters& parameters, const std::optional<TrainingState>& training = {});

/// Throws Error if the file cannot be read, and ModelFileError if it is not a valid checkpoint.
Checkpoint load_checkpoint(const std::string& path);

/// The bytes that save_checkpoint writes.
std::string serialize_checkpoint(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters,
                                 const std::optional<TrainingState>& training = {});

/// Reads what serialize_checkpoint wrote. Checks everything, so any other bytes are safe, too. `in` must be able to
/// seek. Throws ModelFileError with `name` and what is wrong.
Checkpoint parse_checkpoint(std::istream& in, const std::string& name);

}  // namespace microgpt
