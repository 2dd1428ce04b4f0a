// microgpt inspect: prints what is in a model, or what one of its heads does.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/head_row.h"
#include "program/inspector.h"
#include "program/options.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

struct Statistics {
  double mean, stddev, min, max;
};

Statistics statistics(std::span<const double> numbers) {
  const auto n = static_cast<double>(numbers.size());
  double total = 0;
  for (double x : numbers) total += x;
  const double mean = total / n;
  double squares = 0;
  for (double x : numbers) squares += (x - mean) * (x - mean);
  const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
  return {mean, std::sqrt(squares / n), *min, *max};
}

std::string attention_details(const Config& config) {
  if (config.is_latent()) {
    return fmt::format("  (q_latent {}, kv_latent {}, rope_dim {})", config.q_latent, config.kv_latent,
                       config.rope_dim);
  }
  return config.kv_heads() == config.n_head ? "" : fmt::format("  (n_kv_head {})", config.kv_heads());
}

/// The config, the alphabet, and a line for each matrix: shape, mean, standard deviation, smallest and largest number.
void print_summary(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters) {
  fmt::print("n_layer     {}\n", config.n_layer);
  fmt::print("n_embd      {}\n", config.n_embd);
  fmt::print("n_head      {}  (head_dim {})\n", config.n_head, config.head_dim());
  fmt::print("attention   {}{}\n", config.attention(), attention_details(config));
  fmt::print("mask        {}\n", mask_spec(config.mask));
  fmt::print("positions   {}\n", config.rope ? "rotated (RoPE)" : "learned (wpe)");
  fmt::print("block_size  {}\n", config.block_size);
  fmt::print("vocab_size  {}  ({} and BOS)\n", config.vocab_size, visible(encode_utf8(tokenizer.characters())));
  fmt::print("activation  {}\n", named(config.activation).title);
  fmt::print("\n");
  fmt::print("{:<18} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "parameter", "shape", "size", "mean", "std", "min",
             "max");
  for (const Parameter& p : parameters.matrices()) {
    const Statistics s = statistics({p.data, p.size()});
    fmt::print("{:<18} {:>10} {:>8} {:>+9.4f} {:>9.4f} {:>+9.4f} {:>+9.4f}\n", p.name,
               fmt::format("{} x {}", p.rows, p.cols), p.size(), s.mean, s.stddev, s.min, s.max);
  }
  fmt::print("{:<18} {:>10} {:>8}\n", "all", "", parameters.size());
}

}  // namespace

Command inspect_command() {
  struct InspectOptions {
    std::string model;
    std::optional<std::string> text;
    std::optional<std::string> html, compare, data;
    std::optional<std::size_t> layer, head, at;
  };
  auto options = std::make_shared<InspectOptions>();
  Command command{.name = "inspect",
                  .help = "Print a model's config and statistics of its parameters, or one row of a head in numbers.",
                  .footer =
                      "Examples:\n"
                      "  microgpt inspect names.safetensors\n"
                      "  microgpt inspect names.safetensors --text emma --layer 0 --head 2 --at 3\n"
                      "  microgpt inspect names_history --html inspector.html"};
  add_model(command, options->model);
  command.heading = "A page for the browser";
  add_text(command, "--html", options->html, "FILE",
           "write the model at work as one page, which needs nothing else; MODEL may\n"
           "be the directory of a history (train --history): the page shows how it was made");
  add_text(command, "--compare", options->compare, "FILE", "a second model beside it");
  add_text(command, "--data", options->data, "FILE", "the model's documents [the held-out names of data/names.txt]");
  command.heading = "A head at work";
  add_text(command, "--text", options->text, "TEXT", "what it reads; position 0 is BOS");
  add_index(command, "--layer", options->layer, "its layer [0]");
  add_index(command, "--head", options->head, "the head [0]");
  add_index(command, "--at", options->at, "the position from which it looks [the last]");
  command.run = [options] {
    if (options->html) {
      std::vector<std::string> models{options->model};
      if (options->compare) models.push_back(*options->compare);
      if (options->compare && std::filesystem::is_directory(*options->compare)) {
        throw UsageError(
            fmt::format("--compare takes one model, and '{}' is a directory; give a file in it, or give the "
                        "directory as MODEL",
                        *options->compare));
      }
      return write_inspector({models, *options->html, options->data, options->text});
    }
    if (options->compare || options->data) throw UsageError("--compare and --data need --html");
    const Checkpoint checkpoint = load_checkpoint(options->model);
    if (options->text) {
      return print_head_row(checkpoint,
                            {*options->text, options->layer.value_or(0), options->head.value_or(0), options->at});
    }
    if (options->layer || options->head || options->at) throw UsageError("--layer, --head and --at need a --text");
    print_summary(checkpoint.config, checkpoint.tokenizer, checkpoint.parameters);
  };
  return command;
}

}  // namespace microgpt
