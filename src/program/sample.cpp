// microgpt sample: generates names with a trained model.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  std::optional<Dtype> dtype;
};

/// A model of the tensor engine was trained in floats, and is sampled in them.
Dtype dtype_of(const Checkpoint& checkpoint) {
  if (!checkpoint.training) return Dtype::f64;
  const auto engine = checkpoint.training->options.find("engine");
  return engine != checkpoint.training->options.end() && engine->second == "tensor" ? Dtype::f32 : Dtype::f64;
}

/// In floats, many names grow side by side, each with random numbers of its own. In doubles they come from one stream,
/// one name after the other, as in the published program.
template <class T>
void generate(const SampleOptions& options, const Checkpoint& checkpoint, std::span<const Token> prompt) {
  constexpr bool is_float = sizeof(T) == 4;
  PythonRandom random{std::string_view(options.seed)};
  TensorModel<T> model(checkpoint.config, checkpoint.parameters, prompt.size() + max_new_tokens);
  const std::size_t side_by_side = is_float ? std::clamp<std::size_t>(options.num, 1, 32) : 1;
  Decoder<T> decoder(model, fast<T>(), true, side_by_side);
  if (!checkpoint.config.is_plain()) {
    fmt::print("KV cache: {} bytes per token, in {}\n", decoder.cache_bytes_per_token(), is_float ? "float" : "double");
  }
  if (!is_float) {
    return print_samples(options.num, checkpoint.tokenizer,
                         [&] { return sample(decoder, options.temperature, random, prompt); });
  }
  const std::uint64_t seed = std::uint64_t{random.bits32()} << 32 | random.bits32();
  const std::vector<std::vector<Token>> names = sample_many(decoder, options.num, options.temperature, seed, prompt);
  std::size_t i = 0;
  print_samples(options.num, checkpoint.tokenizer, [&] { return names[i++]; });
}

void sample(const SampleOptions& options) {
  const Checkpoint checkpoint = load_checkpoint(options.model);
  const std::optional<std::u32string> prompt = decode_utf8(options.prompt);
  if (!prompt) throw UsageError("--prompt is not valid UTF-8");
  const std::size_t block_size = checkpoint.config.block_size;
  if (prompt->size() > block_size) {
    throw UsageError(
        fmt::format("--prompt has {} characters; this model's block_size is {}", prompt->size(), block_size));
  }
  const std::vector<Token> tokens = checkpoint.tokenizer.encode(*prompt);
  options.dtype.value_or(dtype_of(checkpoint)) == Dtype::f32 ? generate<float>(options, checkpoint, tokens)
                                                             : generate<double>(options, checkpoint, tokens);
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
           {"--prompt", "the beginning of every name", text(options->prompt, "TEXT")},
           {"--dtype", "f32: fast; f64: as the published program does it [as the model was trained]",
            choice<std::optional<Dtype>>(options->dtype, {{"f32", Dtype::f32}, {"f64", Dtype::f64}})}},
          [options](const Options&) { sample(*options); }};
}

}  // namespace microgpt
