#include "program/shape_options.h"

#include <fmt/core.h>

#include "base/error.h"
#include "program/options.h"

namespace microgpt {

void add_sizes(Command& command, ShapeOptions& target) {
  auto count = [&](const char* name, std::optional<std::size_t>& size, const char* help) {
    add_count(command, name, size, help);
  };
  count("--n-layer", target.n_layer, "blocks [1]");
  count("--n-embd", target.n_embd, "width of the residual stream [16]");
  count("--n-head", target.n_head, "attention heads; divides n-embd [4]");
  count("--block-size", target.block_size, "longest document, in tokens [gist: 16, walkthrough: 8]");
}

void add_attention(Command& command, ShapeOptions& target) {
  auto count = [&](const char* name, std::optional<std::size_t>& size, const char* help) {
    add_count(command, name, size, help);
  };
  add_choice(command, "--attention", target.attention, "mha|mqa|gqa|mla",
             "multi-head, multi-query, grouped-query or multi-head latent [mha]");
  count("--n-kv-head", target.n_kv_head, "gqa: heads of keys and values; divides n-head [half of n-head]");
  count("--q-latent", target.q_latent, "mla: numbers that queries are made of [3/4 of n-embd]");
  count("--kv-latent", target.kv_latent, "mla: numbers that keys and values are made of [half of n-embd]");
  count("--rope-dim", target.rope_dim,
        "mla: numbers of a key that rotate with its position; even, with --pos rope at least 2 [none]");
}

MaskPattern given_mask(const std::string& spec) {
  try {
    return parse_mask_pattern(spec);
  } catch (const UsageError& error) {
    throw UsageError(std::string("--") + error.what());  // it begins with "mask"
  }
}

void apply(const ShapeOptions& options, Config& config) {
  config.n_layer = options.n_layer.value_or(config.n_layer);
  config.n_embd = options.n_embd.value_or(config.n_embd);
  config.n_head = options.n_head.value_or(config.n_head);
  config.block_size = options.block_size.value_or(config.block_size);
  const std::string kind = options.attention.value_or("mha");
  auto needs = [&](const std::optional<std::size_t>& given, const char* option, const char* attention) {
    if (given && kind != attention) throw UsageError(fmt::format("{} needs --attention {}", option, attention));
  };
  needs(options.n_kv_head, "--n-kv-head", "gqa");
  needs(options.q_latent, "--q-latent", "mla");
  needs(options.kv_latent, "--kv-latent", "mla");
  needs(options.rope_dim, "--rope-dim", "mla");
  choose_attention(config, kind);
  config.n_kv_head = options.n_kv_head.value_or(config.n_kv_head);
  config.q_latent = options.q_latent.value_or(config.q_latent);
  config.kv_latent = options.kv_latent.value_or(config.kv_latent);
  config.rope_dim = options.rope_dim.value_or(config.rope_dim);
}

}  // namespace microgpt
