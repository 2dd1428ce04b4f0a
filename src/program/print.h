// Output that several commands share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

struct Quality;

/// The shortest decimal number that reads back as the same double, as Python prints it.
std::string all_digits(double x);

/// Prints "sample  1: ..." and so on, with names from generate().
void print_samples(std::size_t num, const Tokenizer& tokenizer, const std::function<std::vector<Token>()>& generate);

/// Prints held-out loss, perplexity, the bigram baseline, the share of new names, and some names.
void print_quality(const Quality& quality, double temperature);

/// Flushes standard output. Throws std::system_error if anything could not be written.
void flush_output();

}  // namespace microgpt
