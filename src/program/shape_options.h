// The shape of a model, as it is typed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "base/config.h"
#include "program/options.h"

namespace microgpt {

/// An option that sets a size of Config.
struct SizeOption {
  const char* name;
  std::size_t Config::*size;
  const char* attention;  // the kind that has this size; nullptr: every model has
  const char* help;
};

inline constexpr std::array size_options{
    SizeOption{"--n-layer", &Config::n_layer, nullptr, "blocks [1]"},
    SizeOption{"--n-embd", &Config::n_embd, nullptr, "width of the residual stream [16]"},
    SizeOption{"--n-head", &Config::n_head, nullptr, "attention heads; divides n-embd [4]"},
    SizeOption{"--block-size", &Config::block_size, nullptr, "longest document, in tokens [gist: 16, walkthrough: 8]"},
    SizeOption{"--n-kv-head", &Config::n_kv_head, "gqa",
               "gqa: heads of keys and values; divides n-head [half of n-head]"},
    SizeOption{"--q-latent", &Config::q_latent, "mla", "mla: numbers that queries are made of [3/4 of n-embd]"},
    SizeOption{"--kv-latent", &Config::kv_latent, "mla",
               "mla: numbers that keys and values are made of [half of n-embd]"},
    SizeOption{"--rope-dim", &Config::rope_dim, "mla",
               "mla: numbers of a key that its position rotates; even, with --pos rope at least 2 [none]"},
};

/// What was given.
struct ShapeOptions {
  std::optional<std::string> attention;
  std::array<std::optional<std::size_t>, size_options.size()> sizes;  // of size_options

  bool operator==(const ShapeOptions&) const = default;
};

/// --n-layer, --n-embd, --n-head and --block-size.
void add_sizes(Command& command, ShapeOptions& target);

/// --attention, and the sizes of its kinds.
void add_attention(Command& command, ShapeOptions& target);

/// The mask that --mask asks for. Throws UsageError if there is no such mask.
MaskPattern given_mask(const std::string& spec);

/// Changes what was given. Throws UsageError for a size of another kind of attention; validate() judges the rest.
void apply(const ShapeOptions& options, Config& config);

}  // namespace microgpt
