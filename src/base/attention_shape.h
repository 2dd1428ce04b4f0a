// The sizes of a layer's attention, and what follows from them: the matrices it learns, and how many numbers a model
// that generates must keep of every token.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/count.h"
#include "base/parameters.h"

namespace microgpt {

struct Config;

/// Kinds and letters are those of tensor/attention_layer.h.
struct AttentionShape {
  std::size_t n_embd = 0;     // C
  std::size_t n_head = 0;     // H
  std::size_t n_kv_head = 0;  // G: H in multi-head attention, 1 in multi-query attention, between them grouped queries
  std::size_t key_dim = 0;    // K: numbers of a query or a key in a head
  std::size_t value_dim = 0;  // D: numbers of a value in a head
  std::size_t rope_dim = 0;   // R: the last of the K, even, which are rotated by position; 0: none
  std::size_t q_latent = 0;   // Lq of latent attention; 0: queries are made of the residual stream itself
  std::size_t kv_latent = 0;  // Lkv; 0: not latent
  double rope_base = 10000;   // as in the paper: see tensor/rope.h

  std::size_t nope_dim() const { return key_dim - rope_dim; }                   // P: "no position embedding"
  double scale() const { return 1 / std::sqrt(static_cast<double>(key_dim)); }  // of the scores
  bool is_latent() const { return kv_latent > 0; }

  /// mha, mqa, gqa or mla.
  std::string kind() const;
};

/// A layer's attention in a model of this shape, which must be valid.
AttentionShape attention_shape(const Config& config);

/// The matrices of a layer's attention: see gpt_shapes() in base/parameters.h.
std::vector<Parameters::Shape> attention_matrices(const AttentionShape& shape);

/// The numbers in these matrices.
Count num_attention_weights(const AttentionShape& shape);

/// The numbers that a cache keeps of a token in a layer: G keys and G values, or a latent vector and one rotary key.
Count cached_numbers(const AttentionShape& shape);

/// The bytes that the caches of all layers keep of so many tokens.
Count cache_bytes(const AttentionShape& shape, std::size_t n_layer, std::size_t tokens, std::size_t number_bytes);

}  // namespace microgpt
