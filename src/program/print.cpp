#include "program/print.h"

#include <fmt/core.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "train/held_out.h"

namespace microgpt {

std::string all_digits(double x) {
  const std::string text = fmt::format("{}", x);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

void print_samples(std::size_t num, const Tokenizer& tokenizer, const std::function<std::vector<Token>()>& generate) {
  for (std::size_t i = 1; i <= num; i++) fmt::print("sample {:2}: {}\n", i, tokenizer.decode(generate()));
}

void print_quality(const Quality& quality, double temperature) {
  fmt::print("held-out loss: {:.4f} nats per token, the mean of {} predictions\n", quality.loss, quality.predictions);
  fmt::print("perplexity: {:.2f}, as uncertain as a choice among that many equally likely characters\n",
             std::exp(quality.loss));
  fmt::print("bigram baseline: {:.4f} nats per token, from counting pairs\n", quality.bigram_loss);
  fmt::print("new names: {:.1f} % of 1000, generated at temperature {}, are not in the data\n", 100 * quality.new_share,
             temperature);
  std::size_t i = 0;
  for (const std::string& name : quality.names) fmt::print("sample {:2}: {}\n", ++i, name);
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

}  // namespace microgpt
