// What several commands print.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/tokenizer.h"
#include "train/held_out.h"

namespace microgpt {

/// "sample  1: ..." and so on: names that invent() makes.
void print_samples(std::size_t num, const Tokenizer& tokenizer, const std::function<std::vector<Token>()>& invent);

/// Held-out loss, perplexity, what counting achieves, how many names are new, and names.
void print_quality(const Quality& quality, double temperature);

}  // namespace microgpt
