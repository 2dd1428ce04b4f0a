// The shape of a model, as it is typed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/config.h"
#include "program/options.h"

namespace microgpt {

/// What was given.
struct ShapeOptions {
  std::optional<std::size_t> n_layer, n_embd, n_head, block_size;
  std::optional<std::string> attention;
  std::optional<std::size_t> n_kv_head, q_latent, kv_latent, rope_dim;

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
