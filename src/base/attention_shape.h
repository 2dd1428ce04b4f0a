// The sizes of a layer's attention. They decide which matrices the layer learns, and how many numbers per token a model
// must keep while it generates.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/parameters.h"

namespace microgpt {

struct Config;

/// tensor/attention_layer.h explains the kinds of attention and the letters.
struct AttentionShape {
  std::size_t n_embd = 0;     // C
  std::size_t n_head = 0;     // H
  std::size_t n_kv_head = 0;  // G: H in multi-head, 1 in multi-query, in between in grouped-query attention
  std::size_t key_dim = 0;    // K: numbers in a head's query or key
  std::size_t value_dim = 0;  // D: numbers in a head's value
  std::size_t rope_dim = 0;   // R: how many of the K, at their end, are rotated by position; even; 0: none
  std::size_t q_latent = 0;   // Lq of latent attention; 0: queries come straight from the residual stream
  std::size_t kv_latent = 0;  // Lkv; 0: not latent
  double rope_base = 10000;   // the paper's: see tensor/rope.h
  double score_scale = 0;     // every score is multiplied by this; 0: by 1 / sqrt(K). No config sets it: see lesson 23

  std::size_t nope_dim() const { return key_dim - rope_dim; }  // P: "no position embedding"
  double scale() const { return score_scale != 0 ? score_scale : 1 / std::sqrt(static_cast<double>(key_dim)); }
  bool is_latent() const { return kv_latent > 0; }

  /// mha, mqa, gqa or mla.
  std::string kind() const;
};

/// The attention of each layer in this model. `config` must be valid.
AttentionShape attention_shape(const Config& config);

/// The matrices of a layer's attention: see gpt_shapes() in base/parameters.h.
std::vector<Parameters::Shape> attention_matrices(const AttentionShape& shape);

// Counts are doubles: they hold any product of sizes, and are exact up to 2^53.

/// How many numbers these matrices hold.
double num_attention_weights(const AttentionShape& shape);

/// How many numbers a layer's cache keeps for each token: G keys and G values, or a latent vector and one rotary key.
double cached_numbers(const AttentionShape& shape);

/// How many bytes the caches of all layers take for `tokens` tokens.
double cache_bytes(const AttentionShape& shape, double n_layer, double tokens, double number_bytes);

}  // namespace microgpt
