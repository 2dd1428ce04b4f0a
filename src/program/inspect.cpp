// microgpt inspect: prints what is in a model, what one of its heads does, or why a letter is likely.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/utf8.h"
#include "heads/in_numbers.h"
#include "program/commands.h"
#include "program/measured_documents.h"
#include "program/print.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

void print_summary(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters) {
  fmt::print("n_layer     {}\n", config.n_layer);
  fmt::print("n_embd      {}\n", config.n_embd);
  fmt::print("n_head      {}  (head_dim {})\n", config.n_head, config.head_dim());
  fmt::print("attention   {}", config.attention());
  if (config.is_latent()) {
    fmt::print("  (q_latent {}, kv_latent {}, rope_dim {})", config.q_latent, config.kv_latent, config.rope_dim);
  } else if (config.kv_heads() != config.n_head) {
    fmt::print("  (n_kv_head {})", config.kv_heads());
  }
  fmt::print("\nmask        {}\n", mask_specs(config.masks));
  fmt::print("positions   {}\n", config.rope ? "rotated (RoPE)" : "learned (wpe)");
  fmt::print("block_size  {}\n", config.block_size);
  fmt::print("vocab_size  {}  ({} and BOS)\n", config.vocab_size, visible(encode_utf8(tokenizer.characters())));
  fmt::print("activation  {}\n\n", named(config.activation).title);
  fmt::print("{:<18} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "parameter", "shape", "size", "mean", "std", "min",
             "max");
  for (const Parameter& p : parameters.matrices()) {
    const std::span<const double> numbers(p.data, p.size());
    const auto n = static_cast<double>(p.size());
    const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / n;
    double squares = 0;
    for (const double x : numbers) squares += (x - mean) * (x - mean);
    const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
    fmt::print("{:<18} {:>10} {:>8} {:>+9.4f} {:>9.4f} {:>+9.4f} {:>+9.4f}\n", p.name,
               fmt::format("{} x {}", p.rows, p.cols), p.size(), mean, std::sqrt(squares / n), *min, *max);
  }
  fmt::print("{:<18} {:>10} {:>8}\n", "all", "", parameters.size());
}

// --- One head at one position ----------------------------------------------------------------------------------------

std::string in_numbers(const std::vector<double>& numbers) {
  std::string text;
  for (const double x : numbers) text += fmt::format(" {:+7.3f}", x);
  return text;
}

void print_numbers(const HeadRow& row, std::span<const Token> tokens, const Tokenizer& tokenizer) {
  fmt::print("\n{:<24}{}\n", "query q", in_numbers(row.query));
  double total = 0;
  for (const LookedAt& at : row.seen) total += std::exp(at.score);
  for (const LookedAt& at : row.seen) {
    const std::string where = fmt::format("{} {}", at.position, for_output(tokenizer.label(tokens[at.position])));
    fmt::print("\n{}{}\n", pad_right("key k of " + where, 24), in_numbers(at.key));
    fmt::print("{:<24}{}   sum {:+.4f}, / sqrt({}) = {:+.4f}\n", "q * k", in_numbers(at.products), at.sum,
               at.key.size(), at.score);
    fmt::print("{:<24} exp({:.4f}) / {:.4f} = {:.4f}\n", "weight", at.score, total, at.weight);
    fmt::print("{:<24}{}\n", "value v", in_numbers(at.value));
  }
  fmt::print("\n{:<24}{}\n", "values mixed", in_numbers(row.output));
  fmt::print("{:<24}{}\n", "through attn_wo", in_numbers(row.written));
}

void require_in_range(const char* name, std::size_t number, std::size_t n) {
  if (number >= n) throw UsageError(fmt::format("{} is {}; it must be from 0 to {}", name, number, n - 1));
}

void print_head_row(const Checkpoint& checkpoint, const std::string& text, HeadId id, std::optional<std::size_t> at) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  std::vector<Token> tokens = read_text(text, checkpoint, most_measured);
  tokens.pop_back();
  const std::size_t t = at.value_or(tokens.size() - 1);
  require_in_range("--layer", id.layer, config.n_layer);
  require_in_range("--head", id.head, config.n_head);
  require_in_range("--at", t, tokens.size());
  const HeadRow row = head_row(config, parameters, tokens, id, t);
  fmt::print("layer {}, head {}, at position {}, which is {}\n\n", id.layer, id.head, t,
             for_output(tokenizer.label(tokens[t])));
  fmt::print("{:>8}  {:<6}{:>8}{:>12}{:>9}\n", "position", "token", "weight", "even share", "score");
  for (const std::size_t i : row.strongest(5)) {
    const LookedAt& seen = row.seen[i];
    fmt::print("{:>8}  {}{:>8.4f}{:>12.4f}{:>+9.4f}\n", seen.position,
               pad_right(for_output(tokenizer.label(tokens[seen.position])), 6), seen.weight,
               1 / static_cast<double>(row.seen.size()), seen.score);
  }
  print_numbers(row, tokens, tokenizer);
}

// --- Why a letter ----------------------------------------------------------------------------------------------------

/// Bars that begin where the one before ends: '+' where the sum rises, '-' where it falls. [low, high] fills the width.
std::string waterfall_bar(double from, double to, double low, double high) {
  constexpr double width = 28;
  auto column = [&](double x) {
    return high > low ? static_cast<std::size_t>(std::lround((x - low) / (high - low) * width)) : 0;
  };
  const std::size_t begin = column(std::min(from, to)), end = column(std::max(from, to));
  std::string bar(static_cast<std::size_t>(width), ' ');
  return bar.replace(begin, end - begin, end - begin, to > from ? '+' : '-');
}

/// The lines of the parts, each with its share of this token's logit, and the sum below them.
void print_parts(const LogitParts& why, Token token) {
  double sum = 0, low = 0, high = 0;
  for (const LogitPart& part : why.parts) {
    sum += part.adds[token];
    low = std::min(low, sum);
    high = std::max(high, sum);
  }
  fmt::print("{:<20}{:>9}{:>9}  {:<28}{:>17}\n", "part", "adds", "sum", "", "loss without it");
  sum = 0;
  for (const LogitPart& part : why.parts) {
    const double before = sum;
    sum += part.adds[token];
    fmt::print("{:<20}{:>+9.4f}{:>+9.4f}  {}{:>17.4f}\n", part.name, part.adds[token], sum,
               waterfall_bar(before, sum, low, high), loss_of(part.without, token));
  }
  fmt::print("{:<20}{:>18.4f}  {:<28}{:>17.4f}\n", "the logit", why.logits[token], "", loss_of(why.logits, token));
}

void print_why(const Checkpoint& checkpoint, const std::string& text, std::optional<std::size_t> at) {
  const auto& [config, tokenizer, parameters, training] = checkpoint;
  const std::vector<Token> tokens = read_text(text, checkpoint, most_measured);
  const std::size_t t = at.value_or(tokens.size() - 2);
  require_in_range("--at", t, tokens.size() - 1);
  const Token next = tokens[t + 1];
  const std::string so_far = tokenizer.decode(std::span(tokens).subspan(1, t));
  fmt::print("{} {}, at position {}\n\n", next == tokenizer.bos() ? "the end" : for_output(tokenizer.label(next)),
             t == 0 ? "at the beginning" : fmt::format("after '{}'", for_output(so_far)), t);
  print_parts(logit_parts(config, parameters, std::span(tokens).first(tokens.size() - 1), t), next);
}

struct InspectOptions {
  std::string model;
  std::optional<std::string> text, html, data;
  std::size_t layer = 0;
  std::size_t head = 0;
  std::optional<std::size_t> at;  // the position that looks; by default the last
  bool why = false;
};

void inspect(const Options& table, const InspectOptions& options) {
  if (options.html) return write_inspector(options.model, *options.html, options.data, options.text);
  if (options.data) throw UsageError("--data needs --html");
  if (options.why && (is_typed(table, "--layer") || is_typed(table, "--head"))) {
    throw UsageError("--why is about all heads; leave out --layer and --head");
  }
  const Checkpoint checkpoint = load_checkpoint(options.model);
  if (options.text && options.why) return print_why(checkpoint, *options.text, options.at);
  if (options.text) return print_head_row(checkpoint, *options.text, {options.layer, options.head}, options.at);
  for (const char* name : {"--layer", "--head", "--at", "--why"}) {
    if (is_typed(table, name)) throw UsageError("--layer, --head, --at and --why need a --text");
  }
  print_summary(checkpoint.config, checkpoint.tokenizer, checkpoint.parameters);
}

}  // namespace

Command inspect_command() {
  auto options = std::make_shared<InspectOptions>();
  const Options page{
      {"--html", "write the model at work as one page, which needs nothing else", text(options->html, "FILE")},
      {"--data", "documents to measure on [a tenth of what the model was trained on]", text(options->data, "FILE")}};
  const Options head{{"--text", "what it reads; position 0 is BOS", text(options->text, "TEXT")},
                     {"--layer", "its layer", count(options->layer, max_count, 0)},
                     {"--head", "the head", count(options->head, max_count, 0)},
                     {"--at", "the position from which it looks [the last]", count(options->at, max_count, 0)},
                     {"--why",
                      "instead: what each part of the model adds to the logit of the letter\n"
                      "that comes next, and the loss without that part",
                      flag(options->why)}};
  return {"inspect", "Print what is in a model, one row of a head in numbers, or why a letter is likely.",
          "Examples:\n"
          "  microgpt inspect names.safetensors\n"
          "  microgpt inspect names.safetensors --text emma --layer 0 --head 2 --at 3\n"
          "  microgpt inspect names.safetensors --text emma --at 3 --why\n"
          "  microgpt inspect names.safetensors --html inspector.html",
          Options{model_option(options->model)} + under("A page for the browser", page) + under("A head at work", head),
          [options](const Options& table) { inspect(table, *options); }};
}

}  // namespace microgpt
