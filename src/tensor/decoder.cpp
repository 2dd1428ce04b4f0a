#include "tensor/decoder.h"

#include <array>

#include "tensor/matmul.h"
#include "tensor/rope.h"

namespace microgpt {

// --- The caches of a layer ---------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::AttentionCache(const AttentionLayer<T>& layer, std::size_t N, std::size_t length, bool absorbed)
    : layer_(layer), length_(length), absorbed_(layer.shape.is_latent() && absorbed) {
  const AttentionShape& s = layer.shape;
  q_.resize(N, s.n_head * (absorbed_ ? s.kv_latent + s.rope_dim : s.key_dim));
  log_sum_.resize(s.n_head, 1);
  x_attn_.resize(N, s.n_head * s.value_dim);
  if (absorbed_) {
    mixed_.resize(N, s.n_head * s.kv_latent);
  } else {
    k_.resize(N * length, s.n_kv_head * s.key_dim);
    v_.resize(N * length, s.n_kv_head * s.value_dim);
  }
  if (s.is_latent()) {
    latent_.resize(N, s.kv_latent + s.rope_dim);
    latents_.resize(N * length, s.kv_latent + s.rope_dim);
    c_q_.resize(N, s.q_latent);
    q_nope_.resize(N, s.n_head * s.nope_dim());
    q_rope_.resize(N, s.n_head * s.rope_dim);
    k_nope_.resize(absorbed_ ? 0 : length, s.n_head * s.nope_dim());
  } else {
    key_.resize(N, s.n_kv_head * s.key_dim);
    value_.resize(N, s.n_kv_head * s.value_dim);
  }
}

template <class T>
void AttentionCache<T>::decode(const View<T>& out, const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
                               Positions positions) {
  if (layer_.shape.is_latent()) {
    attend_latent(x, kernels, mask, positions);
  } else {
    attend_grouped(x, kernels, mask, positions);
  }
  kernels.linear_forward(out, Share{0, x.rows}.of(x_attn_), layer_.attn_wo, {});
}

template <class T>
std::size_t AttentionCache<T>::bytes() const {
  const std::size_t kept = layer_.shape.is_latent() ? latents_.view().cols : k_.view().cols + v_.view().cols;
  return length_ * kept * sizeof(T);
}

template <class T>
void AttentionCache<T>::append(Tensor<T>& cache, const View<const T>& rows, Positions positions) {
  for (std::size_t i = 0; i < positions.size(); i++) {
    copy(cache.view().slice_rows(i * length_ + positions[i], 1), rows.slice_rows(i, 1));
  }
}

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_grouped(const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
                                       Positions positions) {
  const AttentionShape& s = layer_.shape;
  const Share rows{0, x.rows};
  const View<T> q = rows.of(q_), key = rows.of(key_), value = rows.of(value_);
  kernels.linear_forward(q, x, layer_.attn_wq, {});
  kernels.linear_forward(key, x, layer_.attn_wk, {});
  kernels.linear_forward(value, x, layer_.attn_wv, {});
  rotate_heads(rope_forward<T>, q, s, positions);
  rotate_heads(rope_forward<T>, key, s, positions);
  append(k_, key, positions);
  append(v_, value, positions);
  for (std::size_t i = 0; i < x.rows; i++) {
    const std::size_t t = positions[i];
    kernels.attention_forward(x_attn_.view().slice_rows(i, 1), log_sum_.view(),
                              AttentionCall<T>::of(s, q.slice_rows(i, 1), seen(k_, i, t), seen(v_, i, t), mask, t));
  }
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_latent(const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
                                      Positions positions) {
  const AttentionShape& s = layer_.shape;
  const Share rows{0, x.rows};
  const View<T> latent = rows.of(latent_);
  const View<T> k_rope = latent.slice_cols(s.kv_latent, s.rope_dim);
  kernels.linear_forward(rows.of(c_q_), x, layer_.attn_wdq, {});
  kernels.linear_forward(rows.of(q_nope_), rows.of(c_q_), layer_.attn_wuq, {});
  kernels.linear_forward(rows.of(q_rope_), rows.of(c_q_), layer_.attn_wqr, {});
  kernels.linear_forward(latent.slice_cols(0, s.kv_latent), x, layer_.attn_wdkv, {});
  kernels.linear_forward(k_rope, x, layer_.attn_wkr, {});
  rope_forward(k_rope, k_rope, positions, s.rope_base);
  append(latents_, latent, positions);
  if (absorbed_) {
    attend_absorbed(kernels, mask, positions);
  } else {
    attend_expanded(kernels, mask, positions);
  }
}

template <class T>
void AttentionCache<T>::attend_absorbed(const Kernels<T>& kernels, const Mask& mask, Positions positions) {
  const AttentionShape& s = layer_.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim, D = s.value_dim, Lkv = s.kv_latent;
  const Share rows{0, positions.size()};
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> q_h = rows.of(q_).slice_cols(h * (Lkv + R), Lkv + R);
    const View<T> rotary = q_h.slice_cols(Lkv, R);
    // The head's W_UK is (P,Lkv). W_UK^T q_nope, as a row, is q_nope times W_UK.
    matmul(q_h.slice_cols(0, Lkv), rows.of(q_nope_).slice_cols(h * P, P),
           layer_.attn_wuk.data.view().slice_rows(h * P, P));
    rope_forward(rotary, rows.of(q_rope_).slice_cols(h * R, R), positions, s.rope_base);
  }
  for (std::size_t i = 0; i < positions.size(); i++) {
    const View<T> latents = seen(latents_, i, positions[i]);
    kernels.attention_forward(mixed_.view().slice_rows(i, 1), log_sum_.view(),
                              {.q = q_.view().slice_rows(i, 1),
                               .k = latents,
                               .v = latents.slice_cols(0, Lkv),
                               .n_head = s.n_head,
                               .n_kv_head = 1,
                               .scale = s.scale(),  // the scores have not changed, so neither has their scale
                               .mask = mask,
                               .first_query = positions[i]});
  }
  for (std::size_t h = 0; h < s.n_head; h++) {
    matmul(rows.of(x_attn_).slice_cols(h * D, D), rows.of(mixed_).slice_cols(h * Lkv, Lkv),
           layer_.attn_wuv.transposed.view().slice_cols(h * D, D));
  }
}

template <class T>
void AttentionCache<T>::attend_expanded(const Kernels<T>& kernels, const Mask& mask, Positions positions) {
  const AttentionShape& s = layer_.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim;
  for (std::size_t i = 0; i < positions.size(); i++) {
    const std::size_t t = positions[i];
    const View<T> latents = seen(latents_, i, t), k = seen(k_, i, t), v = seen(v_, i, t);
    const View<T> k_nope = k_nope_.view().slice_rows(0, t + 1), q = q_.view().slice_rows(i, 1);
    kernels.linear_forward(k_nope, latents.slice_cols(0, s.kv_latent), layer_.attn_wuk, {});
    kernels.linear_forward(v, latents.slice_cols(0, s.kv_latent), layer_.attn_wuv, {});
    for (std::size_t h = 0; h < s.n_head; h++) {
      const View<T> k_h = k.slice_cols(h * (P + R), P + R), q_h = q.slice_cols(h * (P + R), P + R);
      copy(k_h.slice_cols(0, P), k_nope.slice_cols(h * P, P));
      copy(k_h.slice_cols(P, R), latents.slice_cols(s.kv_latent, R));
      copy(q_h.slice_cols(0, P), q_nope_.view().slice_rows(i, 1).slice_cols(h * P, P));
      rope_forward(q_h.slice_cols(P, R), q_rope_.view().slice_rows(i, 1).slice_cols(h * R, R), std::array{t},
                   s.rope_base);
    }
    kernels.attention_forward(x_attn_.view().slice_rows(i, 1), log_sum_.view(),
                              AttentionCall<T>::of(s, q, k, v, mask, t));
  }
}

// --- The whole model -------------------------------------------------------------------------------------------------

template <class T>
Decoder<T>::Decoder(TensorModel<T>& model, const Kernels<T>& kernels, bool absorbed, std::size_t N)
    : model_(model), kernels_(kernels), positions_(N, 0) {
  for (const typename TensorModel<T>::Layer& layer : model.layers) {
    caches_.emplace_back(layer.attention, N, model.length, absorbed);
  }
  scale_.resize(1, N);
  for (Tensor<T>* tensor : {&x_, &x_norm_, &out_}) tensor->resize(N, model.config.n_embd);
  hidden_.resize(N, 4 * model.config.n_embd);
  logits_.resize(N, model.config.vocab_size);
}

template <class T>
std::size_t Decoder<T>::cache_bytes() const {
  std::size_t bytes = 0;
  for (const AttentionCache<T>& cache : caches_) bytes += cache.bytes();
  return bytes;
}

template <class T>
View<T> Decoder<T>::next(std::span<const Token> tokens) {
  const std::span<std::size_t> positions = std::span(positions_).first(tokens.size());
  const Share rows{0, tokens.size()};
  const View<T> x = rows.of(x_), x_norm = rows.of(x_norm_), out = rows.of(out_), hidden = rows.of(hidden_);
  T* const scale = scale_.view().data;

  kernels_.embedding_forward(out, tokens, positions, model_.wte.data.view(), model_.wpe.data.view());
  kernels_.rmsnorm_forward(x, scale, out);
  for (std::size_t li = 0; li < caches_.size(); li++) {
    const typename TensorModel<T>::Layer& layer = model_.layers[li];

    // 1) Attention.
    kernels_.rmsnorm_forward(x_norm, scale, x);
    caches_[li].decode(out, x_norm, kernels_, model_.mask, positions);
    kernels_.add_forward(x, out, x);

    // 2) MLP.
    kernels_.rmsnorm_forward(x_norm, scale, x);
    kernels_.linear_forward(hidden, x_norm, layer.mlp_fc1, {});
    kernels_.activation_forward(hidden, hidden, model_.config.activation);
    kernels_.linear_forward(x, hidden, layer.mlp_fc2, x);
  }
  kernels_.linear_forward(rows.of(logits_), x, model_.lm_head, {});
  for (std::size_t& position : positions) position++;
  return rows.of(logits_);
}

template <class T>
std::span<T> Decoder<T>::next(Token token) {
  const View<T> logits = next(std::span(&token, 1));
  return {logits.data, logits.cols};
}

template class AttentionCache<float>;
template class AttentionCache<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace microgpt
