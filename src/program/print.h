// Output that several commands share.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#include "base/utf8.h"
#include "draw/progress.h"
#include "train/held_out.h"
#include "train/ngram.h"

namespace microgpt {

/// The shortest decimal number that reads back as the same double, as Python prints it.
inline std::string all_digits(double x) {
  const std::string text = fmt::format("{}", x);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

/// The text as visible() of base/utf8.h shows it if standard output is a terminal. Elsewhere it stays as it is.
inline std::string for_output(const std::string& text) { return ::isatty(STDOUT_FILENO) != 0 ? visible(text) : text; }

/// Prints "sample  1: anna", and a note behind it.
inline void print_sample(std::size_t number, const std::string& name, const std::string& note = "") {
  fmt::print("sample {:2}: {}{}\n", number, for_output(name), note);
}

/// The note on a name that stands in the data, or that block_size ended.
inline std::string mark(bool is_copy, bool is_cut) { return is_copy ? "  (in the data)" : is_cut ? "  (cut off)" : ""; }

/// Prints held-out loss (with four decimals, or all digits), perplexity, the bigram baseline, the share of new names,
/// and some names.
inline void print_quality(const Quality& quality, double temperature, bool all = false,
                          const std::string& loss_name = "held-out loss") {
  fmt::print("{}: {} nats per token, the mean of {} predictions\n", loss_name,
             all ? all_digits(quality.loss) : fmt::format("{:.4f}", quality.loss), quality.predictions);
  if (quality.gpt_loss != quality.loss) fmt::print("the GPT alone: {:.4f}; the rest is counting\n", quality.gpt_loss);
  fmt::print("perplexity: {:.2f}, as uncertain as a choice among that many equally likely characters\n",
             std::exp(quality.loss));
  fmt::print("bigram baseline: {:.4f} nats per token, from counting pairs\n", quality.bigram_loss);
  fmt::print("best counting: {:.4f} nats per token, from runs of up to {} characters\n", quality.ngram_loss,
             Ngram::order);
  fmt::print("new names: {:.1f} % of {}, generated at temperature {}, are not in the data\n", 100 * quality.new_share,
             quality.generated, temperature);
  std::size_t i = 0;
  for (const std::string& name : quality.names) print_sample(++i, name);
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A TerminalLine that says how far a long computation is: "heads: 3 of 16, 2 s left". It goes with the last copy.
inline std::function<void(std::size_t done, std::size_t total)> run_line(
    const std::string& what, std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now()) {
  return [what, start, line = std::make_shared<TerminalLine>()](std::size_t done, std::size_t total) {
    if (!line->is_due()) return;
    const double seconds = seconds_since(start) / static_cast<double>(done) * static_cast<double>(total - done);
    line->show(fmt::format("{} {} of {}, {:.0f} s left", what, done, total, seconds));
  };
}

/// Prints "microgpt: message" to standard error, on one line. If that fails, nobody is there to be told.
inline void tell(const std::string& message) { std::fputs(("microgpt: " + visible(message) + "\n").c_str(), stderr); }

/// Flushes standard output. Throws std::system_error if anything could not be written.
inline void flush_output() {
  if (std::fflush(stdout) == 0) {
    if (std::ferror(stdout) == 0) return;
    // What failed was an earlier write, and errno is no longer its own. Another write fails for the same reason.
    if (::write(STDOUT_FILENO, "\n", 1) >= 0) errno = EIO;
  }
  throw std::system_error(errno, std::generic_category());
}

}  // namespace microgpt
