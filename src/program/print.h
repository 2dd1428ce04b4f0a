// What several commands print.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

struct Quality;

/// The shortest digits that read back as the same double, as Python prints it.
std::string all_digits(double x);

/// "sample  1: ..." and so on: names that invent() makes.
void print_samples(std::size_t num, const Tokenizer& tokenizer, const std::function<std::vector<Token>()>& invent);

/// Held-out loss, perplexity, what counting achieves, how many names are new, and names.
void print_quality(const Quality& quality, double temperature);

/// Throws std::system_error if something that was printed did not arrive.
void flush_output();

}  // namespace microgpt
