// microgpt sample: generates names with a trained model.
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "tensor/gpt.h"
#include "train/checkpoint.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

struct SampleOptions {
  std::string model;
  std::size_t num = 20;
  double temperature = 0.5;
  std::string seed = "42";
  std::string prompt;
};

void sample(const SampleOptions& options) {
  PythonRandom random{std::string_view(options.seed)};
  const Checkpoint checkpoint = load_checkpoint(options.model);
  const std::optional<std::u32string> prompt = decode_utf8(options.prompt);
  if (!prompt) throw UsageError("--prompt is not valid UTF-8");
  const std::size_t block_size = checkpoint.config.block_size;
  if (prompt->size() > block_size) {
    throw UsageError(
        fmt::format("--prompt has {} characters; this model's block_size is {}", prompt->size(), block_size));
  }
  const std::vector<Token> tokens = checkpoint.tokenizer.encode(*prompt);
  TensorModel<double> model(checkpoint.config, checkpoint.parameters, tokens.size() + max_new_tokens);
  Decoder<double> decoder(model);
  if (!checkpoint.config.is_plain()) {
    fmt::print("KV cache: {} bytes per token, in double\n", decoder.cache_bytes_per_token());
  }
  print_samples(options.num, checkpoint.tokenizer,
                [&] { return sample(decoder, options.temperature, random, tokens); });
}

}  // namespace

Command sample_command() {
  auto options = std::make_shared<SampleOptions>();
  return {"sample",
          "Generate names with a trained model.",
          "A name ends when the model ends it, at the model's block_size, or after 1000 characters.\n"
          "Examples:\n"
          "  microgpt sample names.safetensors --num 5\n"
          "  microgpt sample names.safetensors --prompt ma --temperature 0.8 --seed 7",
          {model_option(options->model),
           {"--num", "names to generate [20]", count(options->num)},
           {"--temperature", "below 1: likelier names, above 1: wilder ones [0.5]", number(options->temperature)},
           seed_option(options->seed),
           {"--prompt", "the beginning of every name", text(options->prompt, "TEXT")}},
          [options](const Options&) { sample(*options); }};
}

}  // namespace microgpt
