// microgpt kv: prints how large the cache of keys and values is.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/attention_shape.h"
#include "base/published.h"
#include "base/utf8.h"
#include "draw/readable.h"
#include "program/commands.h"
#include "program/print.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

struct KvOptions {
  std::string model;
  std::vector<std::string> like;
  std::vector<std::size_t> context{4096, 32768, 131072};
};

/// This project's GPT in the terms of a published model.
PublishedModel own_model(const std::string& path) {
  const Config config = load_checkpoint(path).config;
  const std::string name = for_output(std::filesystem::path(path).stem().string());
  return {
      name, config.n_layer, attention_shape(config), 4 * config.n_embd, num_parameters(config), {.norm_vectors = 0}};
}

std::string label(const AttentionShape& shape) {
  const std::string kind = shape.kind();
  if (kind == "mla") return fmt::format("mla, {} + {}", shape.kv_latent, shape.rope_dim);
  if (kind == "mha") return fmt::format("mha, {} heads", shape.n_head);
  return fmt::format("{}, {} of {}", kind, shape.n_kv_head, shape.n_head);
}

void print_row(const PublishedModel& model, bool is_own, const std::vector<std::size_t>& contexts) {
  const AttentionShape& shape = model.attention;
  const std::size_t of_number = is_own ? 4 : 2;  // bytes
  auto bytes = [&](std::size_t tokens) { return cache_bytes(shape, model.n_layer, tokens, of_number); };
  const double of_mha = cached_numbers(shape) / (2.0 * shape.n_head * shape.value_dim);
  fmt::print("{} {:<14} {:>8}  {:>9}  {:>4} {:>8.0f} {:>10}  {:>8.1f}", pad_right(model.name, 16), label(shape),
             readable_count(model.parameters), readable_count(attention_parameters(model)), is_own ? "f32" : "f16",
             bytes(1) / of_number, readable_bytes(bytes(1)), 100 * of_mha);
  for (const std::size_t context : contexts) {
    fmt::print(" {:>10}", readable_bytes(bytes(model.window == 0 ? context : std::min(context, model.window))));
  }
  fmt::print("\n");
}

void print_cache_sizes(const KvOptions& options) {
  const std::vector<std::size_t>& contexts = options.context;
  std::vector<PublishedModel> models;
  const std::size_t num_own = options.model.empty() ? 0 : 1;
  if (num_own > 0) models.push_back(own_model(options.model));
  if (num_own == 0 && options.like.empty()) models.assign(published_models().begin(), published_models().end());
  for (const std::string& name : options.like) {  // each is followed by its variants with other kinds of attention
    const PublishedModel model = models.emplace_back(published_model(name));
    for (const std::string kind : {"mha", "gqa", "mqa", "mla"}) {
      PublishedModel other = with_attention(model, kind);
      if (kind == model.attention.kind() || kind != other.attention.kind()) continue;
      other.name = "  as " + kind;
      models.push_back(other);
    }
  }
  const std::string title = contexts.size() > 1 ? "cache, by tokens" : "tokens";
  fmt::print("{:<16} {:<14} {:>19}  {:>4} {:>29}{:>{}}\n", "", "", "parameters", "", "kept of a token", title,
             11 * contexts.size());
  fmt::print("{:<16} {:<14} {:>8}  {:>9}  {:>4} {:>8} {:>10}  {:>8}", "model", "attention", "all", "attention", "type",
             "numbers", "bytes", "% of MHA");
  for (const std::size_t context : contexts) fmt::print(" {:>10}", context);
  fmt::print("\n");
  for (std::size_t i = 0; i < models.size(); i++) print_row(models[i], i < num_own, contexts);
  for (const PublishedModel& model : models) {
    if (model.window == 0 || model.name.starts_with(" ")) continue;
    fmt::print("\n{}{}: a token sees at most {} tokens, so the cache keeps no more (a sliding window).\n", model.name,
               options.like.empty() ? "" : ", also as ...", model.window);
  }
  if (options.like.empty())
    return fmt::print("\nmicrogpt kv --like NAME shows a published model with other kinds of attention.\n");
  fmt::print(
      "\nas ...: the same heads with another kind of attention. gqa has 8 key and value heads, or fewer if 8 does not "
      "divide\nthe heads. mla has DeepSeek-V2's proportions: a latent vector of 4 heads' width and a rotary key of "
      "half a "
      "head's.\n");
}

}  // namespace

Command kv_command() {
  auto options = std::make_shared<KvOptions>();
  Option model = model_option(options->model);
  model.required = false;
  return {"kv",
          "Print how large the cache of keys and values is, by kind of attention and context length.",
          "Per token and layer, a cache keeps 2 * key and value heads * head width numbers; with latent attention "
          "(mla), it\nkeeps kv-latent + rope-dim numbers. Without options, kv lists all published models it knows.\n"
          "Examples:\n"
          "  microgpt kv --like llama2-7b,llama3-8b,deepseek-v2\n"
          "  microgpt kv --like mistral-7b --context 4096,1000000\n"
          "  microgpt kv names.safetensors",
          {model,
           {"--like", "names of published models, separated by commas; `microgpt kv` alone lists them",
            list(options->like, "NAME")},
           {"--context", "tokens to cache", counts(options->context)}},
          [options](const Options&) { print_cache_sizes(*options); }};
}

}  // namespace microgpt
