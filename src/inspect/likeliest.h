// What a model expects next, as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/tokenizer.h"

namespace microgpt {

/// The n most likely tokens, the most likely first: "a 0.309, k 0.121". BOS is written ".".
std::string likeliest(std::span<const double> probabilities, const Tokenizer& tokenizer, std::size_t n);

}  // namespace microgpt
