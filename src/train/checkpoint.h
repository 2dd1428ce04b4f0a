// A checkpoint: a trained model in a file, with all that is needed to use it. The file is safetensors: each parameter
// matrix is a tensor of that name, shape (rows, cols), as F64, and the metadata has the rest as text:
//
//   format                                "microgpt"
//   n_layer, n_embd, n_head, block_size   whole numbers
//   activation                            its name in base/activation.h
//   characters                            the alphabet of the tokenizer
#pragma once

#include <iosfwd>
#include <string>

#include "base/config.h"
#include "base/error.h"
#include "base/parameters.h"
#include "base/tokenizer.h"

namespace microgpt {

/// A file that is there and can be read, but holds no model.
struct ModelFileError : Error {
  using Error::Error;
};

struct Checkpoint {
  Config config;
  Tokenizer tokenizer;
  Parameters parameters;
};

/// Replaces the file by a checkpoint, whole or not at all. The parameters must be those of gpt_shapes(config), and
/// config.vocab_size that of the tokenizer. Throws Error if the file cannot be written or a parameter is not finite.
void save_checkpoint(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                     const Parameters& parameters);

/// Throws the Error that save_checkpoint would throw, unless it is that the disk is full by then. Call it before a long
/// training.
void rehearse_save(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                   const Parameters& parameters);

/// Throws Error if the file cannot be read, and ModelFileError if it is not a sound checkpoint.
Checkpoint load_checkpoint(const std::string& path);

/// The bytes that save_checkpoint writes.
std::string serialize_checkpoint(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters);

/// Reads what serialize_checkpoint wrote, or anything else: nothing in it is believed before it is checked. `in` must
/// be able to seek. Throws ModelFileError with `name` and what is wrong.
Checkpoint parse_checkpoint(std::istream& in, const std::string& name);

}  // namespace microgpt
