#include "base/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/attention_shape.h"
#include "base/error.h"

namespace microgpt {

std::string Config::attention() const { return attention_shape(*this).kind(); }

bool Config::is_plain() const { return attention() == "mha" && !rope && masks == Config{}.masks; }

void choose_attention(Config& config, const std::string& kind) {
  const bool is_latent = kind == "mla";
  config.n_kv_head = kind == "mqa" ? 1 : kind == "gqa" ? std::max<std::size_t>(1, config.n_head / 2) : 0;
  config.q_latent = is_latent ? std::max<std::size_t>(1, config.n_embd * 3 / 4) : 0;
  config.kv_latent = is_latent ? std::max<std::size_t>(1, config.n_embd / 2) : 0;
  config.rope_dim = 0;
}

std::size_t num_parameters(const Config& config) {
  const double C = config.n_embd;  // a double, as no product of sizes is too large for it
  const double rows = 2.0 * config.vocab_size + (config.rope ? 0 : config.block_size);
  const double block = num_attention_weights(attention_shape(config)) + 8 * C * C;  // the MLP: (4C,C) and (C,4C)
  return static_cast<std::size_t>(std::min(rows * C + config.n_layer * block, 0x1p60));
}

namespace {

/// Throws UsageError unless this holds.
template <class... Facts>
void require(bool holds, fmt::format_string<Facts...> otherwise, Facts&&... facts) {
  if (!holds) throw UsageError(fmt::format(otherwise, std::forward<Facts>(facts)...));
}

void validate_attention(const Config& config) {
  const bool is_latent = config.is_latent();
  require(config.n_head % config.kv_heads() == 0,
          "n_head {} is not divisible by n_kv_head {}; every key and value head serves an equal group of query heads: "
          "use an n_kv_head that divides {}",
          config.n_head, config.kv_heads(), config.n_head);
  require(is_latent == (config.q_latent > 0),
          "q_latent is {} and kv_latent {}; latent attention needs both to be at least 1", config.q_latent,
          config.kv_latent);
  require(!is_latent || config.kv_heads() == config.n_head,
          "n_kv_head {} with latent attention, where every head has keys of its own; leave n_kv_head out",
          config.n_kv_head);
  constexpr std::size_t max_width = std::size_t{1} << 20;  // so that no later product of sizes overflows
  for (const std::size_t width : {config.q_latent, config.kv_latent, config.rope_dim}) {
    require(width <= max_width, "a latent or rotary width of {} is more than {}", width, max_width);
  }
  require(is_latent || config.rope_dim == 0,
          "rope_dim {} without latent attention, where RoPE rotates the whole of a query", config.rope_dim);
  const std::size_t rotated = attention_shape(config).rope_dim, n_embd = (rotated + 1) * config.n_head;
  require(rotated % 2 == 0, "a rotary width of {} is odd, and RoPE rotates pairs; use {}{}", rotated, rotated + 1,
          is_latent ? "" : fmt::format(" numbers a head (n_embd {})", n_embd));
  require(!config.rope || !is_latent || config.rope_dim > 0,
          "RoPE with latent attention needs a rope_dim of at least 2");
}

}  // namespace

void validate(const Config& config, std::uint64_t max_parameters) {
  for (const auto& [name, size] : {std::pair{"n_layer", config.n_layer},
                                   {"n_embd", config.n_embd},
                                   {"n_head", config.n_head},
                                   {"block_size", config.block_size},
                                   {"vocab_size", config.vocab_size}}) {
    require(size > 0, "{} is 0; it must be at least 1", name);
  }
  constexpr std::size_t max_block_size = 1'000'000'000;  // so that no product of sizes overflows
  require(config.block_size <= max_block_size, "block_size {} is more than {}", config.block_size, max_block_size);
  require(config.n_embd % config.n_head == 0,
          "n_embd {} is not divisible by n_head {}; every head takes an equal slice of the width: use an n_head that "
          "divides {}",
          config.n_embd, config.n_head, config.n_embd);
  validate_attention(config);
  const std::size_t n = config.masks.size();
  require(n == 1 || n == config.n_layer, "{} masks for {} layers; give one for all layers, or one for each", n,
          config.n_layer);
  require(num_parameters(config) <= max_parameters,
          "n_layer {}, n_embd {}, block_size {} make more than {} parameters; choose a smaller shape", config.n_layer,
          config.n_embd, config.block_size, max_parameters);
}

Preset preset(const std::string& name) {
  if (name == "gist") {
    return {.name = name, .model = {}, .train = {}, .heading = "--- inference (new, hallucinated names) ---"};
  }
  if (name == "walkthrough") {
    return {.name = name,
            .model = {.block_size = 8, .activation = Activation::squared_relu},
            .train = {.num_steps = 500,
                      .beta1 = 0.9,
                      .beta2 = 0.95,
                      .schedule = Schedule::cosine,
                      .init_std = 0.02,
                      .zero_projections = true},
            .heading = "--- inference ---"};
  }
  // Found by experiment with this preset on the 32,033 names. We changed one or two of the gist's values at a
  // time: widths 32 to 96, one to three layers, 16 to 64 documents per step, learning rates from 0.003 to 0.015, and
  // initial standard deviations from 0.02 to 0.2. The learning rate matters most, and larger initial weights help.
  // Width and depth are limited by how many steps fit into a second: on two free processors about so many.
  if (name == "fast") {
    return {.name = name,
            .model = {.n_layer = 2, .n_embd = 32},
            .train = {.num_steps = 3000, .batch_size = 32, .learning_rate = 0.006, .beta1 = 0.9, .init_std = 0.1},
            .heading = "--- inference ---"};
  }
  // Found in the same way, with the loss on a ninth of the training names, never on the held-out ones. RoPE gains about
  // 0.008, weight decay 0.013. Without dropout the model learns names by heart; with more of it than 0.1, or more
  // weight decay, a minute is too short. Width 96 with three layers is as good. Lesson 24 shows what it reaches.
  if (name == "best") {
    return {.name = name,
            .model = {.n_layer = 4, .n_embd = 64, .rope = true},
            .train = {.num_steps = 20'000,
                      .batch_size = 32,
                      .learning_rate = 0.004,
                      .beta1 = 0.9,
                      .weight_decay = 0.1,
                      .dropout = 0.1,
                      .init_std = 0.05},
            .heading = "--- inference ---"};
  }
  if (name == "list") {
    Preset list = preset("best");
    list.name = name;
    list.model.n_layer = 2;
    list.heading = "--- new names, and names of the list where it says so ---";
    return list;
  }
  throw UsageError("unknown preset '" + name + "'; there are gist, walkthrough, fast, best and list");
}

}  // namespace microgpt
