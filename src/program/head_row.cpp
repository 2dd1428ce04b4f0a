#include "inspect/head_row.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
#include "program/head_row.h"
#include "program/print.h"

namespace microgpt {
namespace {

std::string in_numbers(const std::vector<double>& numbers) {
  std::string text;
  for (const double x : numbers) text += fmt::format(" {:+7.3f}", x);
  return text;
}

void print_strongest(const HeadRow& row, std::span<const Token> tokens, const Tokenizer& tokenizer) {
  constexpr std::size_t most = 5;
  fmt::print("{:>8}  {:<6}{:>8}{:>12}{:>9}\n", "position", "token", "weight", "even share", "score");
  for (const std::size_t i : row.strongest(most)) {
    const LookedAt& at = row.seen[i];
    fmt::print("{:>8}  {:<6}{:>8.4f}{:>12.4f}{:>+9.4f}\n", at.position,
               for_output(tokenizer.label(tokens[at.position])), at.weight, 1 / static_cast<double>(row.seen.size()),
               at.score);
  }
}

void print_numbers(const HeadRow& row, std::span<const Token> tokens, const Tokenizer& tokenizer) {
  fmt::print("\n{:<24}{}\n", "query q", in_numbers(row.query));
  double total = 0;
  for (const LookedAt& at : row.seen) total += std::exp(at.score);
  for (const LookedAt& at : row.seen) {
    const std::string where = fmt::format("{} {}", at.position, for_output(tokenizer.label(tokens[at.position])));
    fmt::print("\n{:<24}{}\n", "key k of " + where, in_numbers(at.key));
    fmt::print("{:<24}{}   sum {:+.4f}, / sqrt({}) = {:+.4f}\n", "q * k", in_numbers(at.products), at.sum,
               at.key.size(), at.score);
    fmt::print("{:<24} exp({:.4f}) / {:.4f} = {:.4f}\n", "weight", at.score, total, at.weight);
    fmt::print("{:<24}{}\n", "value v", in_numbers(at.value));
  }
  fmt::print("\n{:<24}{}\n", "values mixed", in_numbers(row.output));
  fmt::print("{:<24}{}\n", "through attn_wo", in_numbers(row.written));
}

}  // namespace

void print_head_row(const Checkpoint& checkpoint, const RowOptions& options) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  const std::optional<std::u32string> text = decode_utf8(options.text);
  if (!text) throw UsageError("--text is not valid UTF-8");
  std::vector<Token> tokens = tokenizer.encode_document(*text);
  tokens.pop_back();
  if (tokens.size() > config.block_size) {
    throw UsageError(
        fmt::format("--text has {} characters, which makes {} positions with BOS; this model's block_size is {}",
                    text->size(), tokens.size(), config.block_size));
  }
  auto in_range = [](const char* name, std::size_t number, std::size_t n) {
    if (number >= n) throw UsageError(fmt::format("{} is {}; it must be from 0 to {}", name, number, n - 1));
  };
  const std::size_t t = options.at.value_or(tokens.size() - 1);
  in_range("--layer", options.layer, config.n_layer);
  in_range("--head", options.head, config.n_head);
  in_range("--at", t, tokens.size());
  const HeadRow row = head_row(config, parameters, tokens, {options.layer, options.head}, t);
  fmt::print("layer {}, head {}, at position {}, which is {}\n\n", options.layer, options.head, t,
             for_output(tokenizer.label(tokens[t])));
  print_strongest(row, tokens, tokenizer);
  print_numbers(row, tokens, tokenizer);
}

}  // namespace microgpt
