// The command-line options for the shape of a model.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/config.h"
#include "program/options.h"

namespace microgpt {

/// An option that sets a size of Config.
struct SizeOption {
  const char* name;
  std::size_t Config::*size;
  const char* attention;  // the kind that has this size; nullptr: all kinds
  const char* help;
  const char* if_not_given;  // what the size is without the option
};

inline constexpr std::array size_options{
    SizeOption{"--n-layer", &Config::n_layer, nullptr, "blocks", "1"},
    SizeOption{"--n-embd", &Config::n_embd, nullptr, "width of the residual stream", "16"},
    SizeOption{"--n-head", &Config::n_head, nullptr, "attention heads; divides n-embd", "4"},
    SizeOption{"--block-size", &Config::block_size, nullptr, "longest document, in tokens", "gist: 16, walkthrough: 8"},
    SizeOption{"--n-kv-head", &Config::n_kv_head, "gqa", "gqa: key and value heads; divides n-head", "half of n-head"},
    SizeOption{"--q-latent", &Config::q_latent, "mla", "mla: width of the latent vector for queries", "3/4 of n-embd"},
    SizeOption{"--kv-latent", &Config::kv_latent, "mla", "mla: width of the latent vector for keys and values",
               "half of n-embd"},
    SizeOption{"--rope-dim", &Config::rope_dim, "mla",
               "mla: width of the rotated part of a key; even, at least 2 with --pos rope", "none"},
};

/// The sizes that were given.
struct ShapeOptions {
  std::optional<std::string> attention;
  std::array<std::optional<std::size_t>, size_options.size()> sizes;  // in the order of size_options

  bool operator==(const ShapeOptions&) const = default;
};

/// --n-layer, --n-embd, --n-head and --block-size. The help says what each is if it is not given.
void add_sizes(
    Command& command, ShapeOptions& target,
    const std::function<std::string(const SizeOption&)>& if_not_given = [](const SizeOption& option) {
      return option.if_not_given;
    });

/// --attention, and the sizes of its kinds.
void add_attention(Command& command, ShapeOptions& target);

/// The mask that --mask names. Throws UsageError if there is no such mask.
MaskPattern given_mask(const std::string& spec);

/// Sets the given sizes in `config`. Throws UsageError for a size of another kind of attention. Call validate()
/// afterwards.
void apply(const ShapeOptions& options, Config& config);

}  // namespace microgpt
