// Output that several commands share.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "draw/progress.h"

namespace microgpt {

struct Quality;

/// The shortest decimal number that reads back as the same double, as Python prints it.
std::string all_digits(double x);

/// Prints "sample  1: anna", and a note behind it.
void print_sample(std::size_t number, const std::string& name, const std::string& note = "");

/// The note on a name that stands in the data, or that block_size ended.
inline std::string mark(bool is_copy, bool is_cut) { return is_copy ? "  (in the data)" : is_cut ? "  (cut off)" : ""; }

/// Prints held-out loss (with four decimals, or all digits), perplexity, the bigram baseline, the share of new names,
/// and some names.
void print_quality(const Quality& quality, double temperature, bool all = false,
                   const std::string& loss_name = "held-out loss");

/// The text as visible() of base/utf8.h shows it if standard output is a terminal. Elsewhere it stays as it is.
std::string for_output(const std::string& text);

double seconds_since(std::chrono::steady_clock::time_point start);

/// A TerminalLine that says how far a long computation is: "heads: 3 of 16, 2 s left". It goes with the last copy.
std::function<void(std::size_t done, std::size_t total)> run_line(
    const std::string& what, std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now());

/// Prints "microgpt: message" to standard error, on one line. If that fails, nobody is there to be told.
void tell(const std::string& message);

/// Flushes standard output. Throws std::system_error if anything could not be written.
void flush_output();

}  // namespace microgpt
