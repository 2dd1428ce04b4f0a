// The sizes of a layer's attention. They decide which matrices the layer learns, and how many numbers per token a model
// must keep while it generates.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"

namespace microgpt {

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
  std::string kind() const {
    if (is_latent()) return "mla";
    if (n_kv_head == n_head) return "mha";
    return n_kv_head == 1 ? "mqa" : "gqa";
  }
};

/// The attention of each layer in this model. `config` must be valid.
inline AttentionShape attention_shape(const Config& config) {
  const std::size_t D = config.head_dim();
  return {.n_embd = config.n_embd,
          .n_head = config.n_head,
          .n_kv_head = config.kv_heads(),
          .key_dim = config.is_latent() ? D + config.rope_dim : D,
          .value_dim = D,
          .rope_dim = config.is_latent() ? config.rope_dim
                      : config.rope      ? D
                                         : 0,
          .q_latent = config.q_latent,
          .kv_latent = config.kv_latent};
}

/// The matrices of a layer's attention: see gpt_shapes() in base/parameters.h.
inline std::vector<Parameters::Shape> attention_matrices(const AttentionShape& shape) {
  const std::size_t C = shape.n_embd, H = shape.n_head, G = shape.n_kv_head, K = shape.key_dim, D = shape.value_dim;
  const std::size_t P = shape.nope_dim(), R = shape.rope_dim, Lq = shape.q_latent, Lkv = shape.kv_latent;
  std::vector<Parameters::Shape> all;
  auto add = [&](const char* name, std::size_t rows, std::size_t cols) {
    if (rows > 0) all.push_back({name, rows, cols});
  };
  if (Lq == 0) {
    add("attn_wq", H * K, C);
  } else {
    add("attn_wdq", Lq, C);
    add("attn_wuq", H * P, Lq);
    add("attn_wqr", H * R, Lq);
  }
  if (Lkv == 0) {
    add("attn_wk", G * K, C);
    add("attn_wv", G * D, C);
  } else {
    add("attn_wdkv", Lkv, C);
    add("attn_wuk", H * P, Lkv);
    add("attn_wuv", H * D, Lkv);
    add("attn_wkr", R, C);
  }
  add("attn_wo", C, H * D);
  return all;
}

// Counts are doubles: they hold any product of sizes, and are exact up to 2^53.

/// How many numbers these matrices hold.
inline double num_attention_weights(const AttentionShape& shape) {
  double sum = 0;
  for (const Parameters::Shape& matrix : attention_matrices(shape)) sum += 1.0 * matrix.rows * matrix.cols;
  return sum;
}

/// How many numbers a layer's cache keeps for each token: G keys and G values, or a latent vector and one rotary key.
inline double cached_numbers(const AttentionShape& shape) {
  if (shape.is_latent()) return 1.0 * shape.kv_latent + shape.rope_dim;
  return 1.0 * shape.n_kv_head * (1.0 * shape.key_dim + shape.value_dim);
}

/// How many bytes the caches of all layers take for `tokens` tokens.
inline double cache_bytes(const AttentionShape& shape, double n_layer, double tokens, double number_bytes) {
  return cached_numbers(shape) * n_layer * tokens * number_bytes;
}

}  // namespace microgpt
