// The sizes of a layer's attention, and what follows from them: how many numbers it learns, and how many a model that
// generates must keep of every token.
#pragma once

#include <cstddef>
#include <string>

#include "base/count.h"

namespace microgpt {

struct Config;

/// Kinds and letters are those of tensor/attention_layer.h. Keys and values are of one length, as in all models here.
struct AttentionShape {
  std::size_t n_embd = 0;     // C
  std::size_t n_head = 0;     // H
  std::size_t n_kv_head = 0;  // G
  std::size_t head_dim = 0;   // D; not always C / H. A latent attention's query and key have rope_dim numbers more
  std::size_t q_latent = 0;   // Lq of latent attention; 0: queries are made of the residual stream itself
  std::size_t kv_latent = 0;  // Lkv; 0: not latent
  std::size_t rope_dim = 0;   // R of latent attention

  /// mha, mqa, gqa or mla.
  std::string kind() const;
};

/// A layer's attention in a model of this shape, which must be valid.
AttentionShape attention_shape(const Config& config);

/// The weights of a layer's attention.
Count num_attention_weights(const AttentionShape& shape);

/// The numbers that a cache keeps of a token in a layer: G keys and G values, or a latent vector and one rotary key.
Count cached_numbers(const AttentionShape& shape);

/// The bytes that the caches of all layers keep of so many tokens.
Count cache_bytes(const AttentionShape& shape, std::size_t n_layer, std::size_t tokens, std::size_t number_bytes);

}  // namespace microgpt
