#include "program/print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/utf8.h"
#include "train/held_out.h"

namespace microgpt {

std::string all_digits(double x) {
  const std::string text = fmt::format("{}", x);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

void print_sample(std::size_t number, const std::string& name, const std::string& note) {
  fmt::print("sample {:2}: {}{}\n", number, for_output(name), note);
}

void print_quality(const Quality& quality, double temperature, bool all, const std::string& loss_name) {
  fmt::print("{}: {} nats per token, the mean of {} predictions\n", loss_name,
             all ? all_digits(quality.loss) : fmt::format("{:.4f}", quality.loss), quality.predictions);
  if (quality.gpt_loss != quality.loss) fmt::print("the GPT alone: {:.4f}; the rest is counting\n", quality.gpt_loss);
  fmt::print("perplexity: {:.2f}, as uncertain as a choice among that many equally likely characters\n",
             std::exp(quality.loss));
  fmt::print("bigram baseline: {:.4f} nats per token, from counting pairs\n", quality.bigram_loss);
  fmt::print("best counting: {:.4f} nats per token, from runs of up to {} characters\n", quality.ngram_loss,
             quality.ngram_order);
  fmt::print("new names: {:.1f} % of {}, generated at temperature {}, are not in the data\n", 100 * quality.new_share,
             quality.generated, temperature);
  std::size_t i = 0;
  for (const std::string& name : quality.names) print_sample(++i, name);
}

std::string for_output(const std::string& text) { return ::isatty(STDOUT_FILENO) != 0 ? visible(text) : text; }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::function<void(std::size_t done, std::size_t total)> run_line(const std::string& what,
                                                                  std::chrono::steady_clock::time_point start) {
  return [what, start, line = std::make_shared<TerminalLine>()](std::size_t done, std::size_t total) {
    if (!line->is_due()) return;
    const double seconds = seconds_since(start) / static_cast<double>(done) * static_cast<double>(total - done);
    line->show(fmt::format("{} {} of {}, {:.0f} s left", what, done, total, seconds));
  };
}

void tell(const std::string& message) { std::fputs(("microgpt: " + visible(message) + "\n").c_str(), stderr); }

void flush_output() {
  if (std::fflush(stdout) == 0) {
    if (std::ferror(stdout) == 0) return;
    // What failed was an earlier write, and errno is no longer its own. Another write fails for the same reason.
    if (::write(STDOUT_FILENO, "\n", 1) >= 0) errno = EIO;
  }
  throw std::system_error(errno, std::generic_category());
}

}  // namespace microgpt
