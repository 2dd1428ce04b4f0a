// Inventing text: the model's prediction becomes probabilities, one token is drawn and fed back, until BOS is drawn.
#pragma once

#include <span>
#include <string>

#include "base/python_random.h"
#include "base/tokenizer.h"
#include "scalar/gpt.h"

namespace microgpt {

/// One new document that begins with `prompt` (tokens without BOS; at most block_size) and has at most block_size
/// tokens. A temperature below 1 makes likely characters likelier still, above 1 evens them out.
std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {});

}  // namespace microgpt
