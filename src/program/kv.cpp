// microgpt kv: prints how large the cache of keys and values is.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/attention_shape.h"
#include "base/error.h"
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
  Config config = preset("gist").model;  // changed by the sizes that were typed
  std::string attention = "mha";
  std::vector<std::string> like;
  std::vector<std::size_t> context;
};

/// This project's GPT in the same terms.
PublishedModel own_model(const std::string& name, const Config& config) {
  const std::size_t parameters = config.vocab_size > 0 ? num_parameters(config) : 0;
  std::vector<std::size_t> windows;
  for (const MaskPattern& mask : config.masks) {
    const MaskPattern window{.window = mask.window};  // the mask, if it has a window and nothing else
    windows.push_back(mask == window && window != MaskPattern{} ? window.window : 0);
  }
  return {name, config.n_layer, attention_shape(config), 4 * config.n_embd, parameters, {.norm_vectors = 0}, windows};
}

std::string label(const AttentionShape& shape) {
  const std::string kind = shape.kind();
  if (kind == "mla") return fmt::format("mla, {} + {}", shape.kv_latent, shape.rope_dim);
  if (kind == "mha") return fmt::format("mha, {} heads", shape.n_head);
  return fmt::format("{}, {} of {}", kind, shape.n_kv_head, shape.n_head);
}

void print_row(const PublishedModel& model, const std::string& dtype, const std::vector<std::size_t>& contexts) {
  const AttentionShape& shape = model.attention;
  const std::size_t size = dtype == "f32" ? 4 : 2;  // in bytes
  auto bytes = [&](std::size_t tokens, std::size_t of_number) {
    double all = 0;
    for (const std::size_t window : model.windows) {
      const std::size_t kept = window == 0 ? tokens : std::min(tokens, window);
      all += cache_bytes(shape, model.n_layer / model.windows.size(), kept, of_number);
    }
    return all;
  };
  const double of_mha = cached_numbers(shape) / (2.0 * shape.n_head * shape.value_dim);
  fmt::print("{} {:<14} {:>8}  {:>9}  {:>4} {:>8.0f} {:>10}  {:>8.1f}", pad_right(model.name, 16), label(shape),
             model.parameters > 0 ? readable_count(model.parameters) : "", readable_count(attention_parameters(model)),
             dtype, bytes(1, 1), readable_bytes(bytes(1, size)), 100 * of_mha);
  for (const std::size_t context : contexts) {
    fmt::print(" {:>10}", readable_bytes(bytes(context, size)));
  }
  fmt::print("\n");
}

constexpr const char* own_sizes = "A model of your own, as in microgpt train";

/// The model in a file, or the one with the given sizes.
std::optional<Config> own_config(const Options& table, const KvOptions& options) {
  auto is_size = [](const Option& option) { return option.heading == own_sizes && option.typed; };
  const bool has_sizes = std::any_of(table.begin(), table.end(), is_size);
  if (has_sizes && !options.model.empty()) {
    throw UsageError("a MODEL has its own sizes; give either the MODEL or the sizes");
  }
  if (!options.model.empty()) return load_checkpoint(options.model).config;
  if (!has_sizes) return std::nullopt;
  Config config = options.config;
  config.vocab_size = 27;                    // of names; the cache does not depend on it
  validate(config, std::uint64_t{1} << 50);  // the model need not fit into memory
  config.vocab_size = 0;                     // not known
  return config;
}

void print_cache_sizes(const Options& table, const KvOptions& options) {
  std::vector<std::size_t> contexts = options.context;
  const std::optional<Config> own = own_config(table, options);
  std::vector<std::pair<PublishedModel, std::string>> rows;  // a model, and the type of what it keeps
  if (own) {
    const std::string file = for_output(std::filesystem::path(options.model).stem().string());
    rows.push_back({own_model(file.empty() ? "your sizes" : file, *own), "f32"});
  }
  const bool has_published = !own || !options.like.empty();
  const std::string type = "f16";
  if (has_published && options.like.empty()) {
    for (const PublishedModel& model : published_models()) rows.push_back({model, type});
  }
  for (const std::string& name : options.like) {  // each followed by its variants with other kinds of attention
    const PublishedModel published = published_model(name);
    rows.push_back({published, type});
    for (const std::string kind : {"mha", "gqa", "mqa", "mla"}) {
      PublishedModel other = with_attention(published, kind);
      if (kind == published.attention.kind() || kind != other.attention.kind()) continue;
      other.name = "  as " + kind;
      rows.push_back({other, type});
    }
  }
  if (contexts.empty())
    contexts = has_published ? std::vector<std::size_t>{4096, 32768, 131072} : std::vector{own->block_size};

  const std::string title = contexts.size() > 1 ? "cache, by tokens" : "tokens";
  fmt::print("{:<16} {:<14} {:>19}  {:>4} {:>29}{:>{}}\n", "", "", "parameters", "", "kept of a token", title,
             11 * contexts.size());
  fmt::print("{:<16} {:<14} {:>8}  {:>9}  {:>4} {:>8} {:>10}  {:>8}", "model", "attention", "all", "attention", "type",
             "numbers", "bytes", "% of MHA");
  for (const std::size_t context : contexts) fmt::print(" {:>10}", context);
  fmt::print("\n");
  for (const auto& [model, dtype] : rows) print_row(model, dtype, contexts);
  for (const auto& [model, dtype] : rows) {
    const std::size_t n = model.windows.size(),
                      with_window = n - std::count(model.windows.begin(), model.windows.end(), 0);
    if (with_window == 0 || model.name.starts_with(" ")) continue;
    fmt::print("\n{}{}: {}a token sees at most {} tokens, so the cache keeps no more (a sliding window).\n", model.name,
               options.like.empty() ? "" : ", also as ...",
               with_window == n ? "" : fmt::format("in {} of {} layers, ", with_window, n),
               *std::max_element(model.windows.begin(), model.windows.end()));
  }
  if (!options.like.empty()) {
    fmt::print(
        "\nas ...: the same heads with another kind of attention. gqa has 8 key and value heads, or fewer if 8 does "
        "not divide\nthe heads. mla has DeepSeek-V2's proportions: a latent vector of 4 heads' width and a rotary key "
        "of "
        "half a head's.\n");
  }
}

}  // namespace

Command kv_command() {
  auto options = std::make_shared<KvOptions>();
  Options what{
      model_option(options->model),
      {"--like", "names of published models, separated by commas; `microgpt kv` alone lists them",
       list(options->like, "NAME")},
      {"--context", "tokens to cache [4096,32768,131072; your model alone: its block size]", counts(options->context)}};
  what.front().required = false;
  const Options sizes = size_options(options->config) + attention_options(options->config, options->attention);
  return {"kv", "Print how large the cache of keys and values is, by kind of attention and context length.",
          "Per token and layer, a cache keeps 2 * key and value heads * head width numbers; with latent attention "
          "(mla), it\nkeeps kv-latent + rope-dim numbers. Without options, kv lists all published models it knows.\n"
          "Examples:\n"
          "  microgpt kv --like llama2-7b,llama3-8b,deepseek-v2\n"
          "  microgpt kv --like mistral-7b --context 4096,1000000\n"
          "  microgpt kv --attention gqa --n-kv-head 2 --n-embd 64\n"
          "  microgpt kv names.safetensors",
          what + under(own_sizes, sizes), [options](const Options& table) { print_cache_sizes(table, *options); }};
}

}  // namespace microgpt
