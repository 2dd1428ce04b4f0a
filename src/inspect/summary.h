// A model's contents, as a table.
#pragma once

#include <string>

#include "base/config.h"
#include "base/parameters.h"
#include "base/tokenizer.h"

namespace microgpt {

/// The config, the alphabet, and a line for each matrix: shape, mean, standard deviation, smallest and largest number.
std::string summary(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters);

}  // namespace microgpt
