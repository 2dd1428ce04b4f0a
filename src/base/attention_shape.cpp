#include "base/attention_shape.h"

#include "base/config.h"

namespace microgpt {

std::string AttentionShape::kind() const {
  if (kv_latent > 0) return "mla";
  if (n_kv_head == n_head) return "mha";
  return n_kv_head == 1 ? "mqa" : "gqa";
}

AttentionShape attention_shape(const Config& config) {
  return {.n_embd = config.n_embd,
          .n_head = config.n_head,
          .n_kv_head = config.kv_heads(),
          .head_dim = config.head_dim(),
          .q_latent = config.q_latent,
          .kv_latent = config.kv_latent,
          .rope_dim = config.rope_dim};
}

Count num_attention_weights(const AttentionShape& shape) {
  const Count C = shape.n_embd, H = shape.n_head, G = shape.n_kv_head, D = shape.head_dim;
  const Count Lq = shape.q_latent, Lkv = shape.kv_latent, R = shape.rope_dim;
  const Count out = C * (H * D);
  if (shape.kv_latent == 0) return C * (H * D) + 2 * (C * (G * D)) + out;
  const Count query_dim = H * (D + R);
  const Count queries = shape.q_latent == 0 ? C * query_dim : C * Lq + Lq * query_dim;
  const Count keys_and_values = C * Lkv + 2 * (Lkv * (H * D)) + C * R;
  return queries + keys_and_values + out;
}

Count cached_numbers(const AttentionShape& shape) {
  const Count G = shape.n_kv_head, D = shape.head_dim;
  return shape.kv_latent > 0 ? shape.kv_latent + Count(shape.rope_dim) : 2 * (G * D);
}

Count cache_bytes(const AttentionShape& shape, std::size_t n_layer, std::size_t tokens, std::size_t number_bytes) {
  return cached_numbers(shape) * n_layer * tokens * number_bytes;
}

}  // namespace microgpt
