// What a model expects next, for people to read.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/tokenizer.h"

namespace microgpt {

/// The n likeliest tokens, likeliest first: "a 0.309, k 0.121". BOS is written ".".
std::string likeliest(std::span<const double> probabilities, const Tokenizer& tokenizer, std::size_t n);

}  // namespace microgpt
