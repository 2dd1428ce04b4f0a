#include "base/attention_shape.h"

#include "base/config.h"

namespace microgpt {

std::string AttentionShape::kind() const {
  if (is_latent()) return "mla";
  if (n_kv_head == n_head) return "mha";
  return n_kv_head == 1 ? "mqa" : "gqa";
}

AttentionShape attention_shape(const Config& config) {
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

std::vector<Parameters::Shape> attention_matrices(const AttentionShape& shape) {
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

double num_attention_weights(const AttentionShape& shape) {
  double sum = 0;
  for (const Parameters::Shape& matrix : attention_matrices(shape)) sum += 1.0 * matrix.rows * matrix.cols;
  return sum;
}

double cached_numbers(const AttentionShape& shape) {
  if (shape.is_latent()) return 1.0 * shape.kv_latent + shape.rope_dim;
  return 1.0 * shape.n_kv_head * (1.0 * shape.key_dim + shape.value_dim);
}

double cache_bytes(const AttentionShape& shape, double n_layer, double tokens, double number_bytes) {
  return cached_numbers(shape) * n_layer * tokens * number_bytes;
}

}  // namespace microgpt
