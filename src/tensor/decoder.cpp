#include "tensor/decoder.h"

#include <array>

#include "tensor/matmul.h"
#include "tensor/rope.h"

namespace microgpt {

// --- The cache of a layer
// ---------------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::AttentionCache(const AttentionLayer<T>& layer, std::size_t length, bool absorbed)
    : layer_(layer), absorbed_(layer.shape.is_latent() && absorbed) {
  const AttentionShape& s = layer.shape;
  q_.resize(1, s.n_head * (absorbed_ ? s.kv_latent + s.rope_dim : s.key_dim));
  log_sum_.resize(s.n_head, 1);
  x_attn_.resize(1, s.n_head * s.value_dim);
  if (absorbed_) {
    mixed_.resize(1, s.n_head * s.kv_latent);
  } else {
    k_.resize(length, s.n_kv_head * s.key_dim);
    v_.resize(length, s.n_kv_head * s.value_dim);
  }
  if (s.is_latent()) {
    latents_.resize(length, s.kv_latent + s.rope_dim);
    c_q_.resize(1, s.q_latent);
    q_nope_.resize(1, s.n_head * s.nope_dim());
    q_rope_.resize(1, s.n_head * s.rope_dim);
    k_nope_.resize(absorbed_ ? 0 : length, s.n_head * s.nope_dim());
  }
}

template <class T>
void AttentionCache<T>::decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                               std::size_t position) {
  if (layer_.shape.is_latent()) {
    attend_latent(x, kernels, mask, position);
  } else {
    attend_grouped(x, kernels, mask, position);
  }
  kernels.linear_forward(out, x_attn_.view(), layer_.attn_wo, {});
}

template <class T>
std::size_t AttentionCache<T>::bytes() const {
  auto size = [](const Tensor<T>& kept) { return kept.view().rows * kept.view().cols * sizeof(T); };
  return layer_.shape.is_latent() ? size(latents_) : size(k_) + size(v_);
}

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_grouped(View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                                       std::size_t position) {
  const AttentionShape& s = layer_.shape;
  const View<T> key = k_.view().slice_rows(position, 1);
  kernels.linear_forward(q_.view(), x, layer_.attn_wq, {});
  kernels.linear_forward(key, x, layer_.attn_wk, {});
  kernels.linear_forward(v_.view().slice_rows(position, 1), x, layer_.attn_wv, {});
  rotate_heads(rope_forward<T>, q_.view(), s, std::array{position});
  rotate_heads(rope_forward<T>, key, s, std::array{position});
  kernels.attention_forward(x_attn_.view(), log_sum_.view(),
                            AttentionCall<T>::of(s, q_.view(), k_.view().slice_rows(0, position + 1),
                                                 v_.view().slice_rows(0, position + 1), mask, position));
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_latent(View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                                      std::size_t position) {
  const AttentionShape& s = layer_.shape;
  const View<T> latent = latents_.view().slice_rows(position, 1);
  const View<T> k_rope = latent.slice_cols(s.kv_latent, s.rope_dim);
  kernels.linear_forward(c_q_.view(), x, layer_.attn_wdq, {});
  kernels.linear_forward(q_nope_.view(), c_q_.view(), layer_.attn_wuq, {});
  kernels.linear_forward(q_rope_.view(), c_q_.view(), layer_.attn_wqr, {});
  kernels.linear_forward(latent.slice_cols(0, s.kv_latent), x, layer_.attn_wdkv, {});
  kernels.linear_forward(k_rope, x, layer_.attn_wkr, {});
  rope_forward(k_rope, k_rope, std::array{position}, s.rope_base);
  if (absorbed_) {
    attend_absorbed(kernels, mask, position);
  } else {
    attend_expanded(kernels, mask, position);
  }
}

template <class T>
void AttentionCache<T>::attend_absorbed(const Kernels<T>& kernels, const Mask& mask, std::size_t position) {
  const AttentionShape& s = layer_.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim, D = s.value_dim, Lkv = s.kv_latent;
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> q_h = q_.view().slice_cols(h * (Lkv + R), Lkv + R);
    const View<T> rotary = q_h.slice_cols(Lkv, R);
    // The head's W_UK is (P,Lkv). W_UK^T q_nope, as a row, is q_nope times W_UK.
    matmul(q_h.slice_cols(0, Lkv), q_nope_.view().slice_cols(h * P, P),
           layer_.attn_wuk.data.view().slice_rows(h * P, P));
    rope_forward(rotary, q_rope_.view().slice_cols(h * R, R), std::array{position}, s.rope_base);
  }
  const View<T> seen = latents_.view().slice_rows(0, position + 1);
  kernels.attention_forward(mixed_.view(), log_sum_.view(),
                            {.q = q_.view(),
                             .k = seen,
                             .v = seen.slice_cols(0, Lkv),
                             .n_head = s.n_head,
                             .n_kv_head = 1,
                             .scale = s.scale(),  // the scores have not changed, so neither has their scale
                             .mask = mask,
                             .first_query = position});
  for (std::size_t h = 0; h < s.n_head; h++) {
    matmul(x_attn_.view().slice_cols(h * D, D), mixed_.view().slice_cols(h * Lkv, Lkv),
           layer_.attn_wuv.transposed.view().slice_cols(h * D, D));
  }
}

template <class T>
void AttentionCache<T>::attend_expanded(const Kernels<T>& kernels, const Mask& mask, std::size_t position) {
  const AttentionShape& s = layer_.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim;
  auto of = [&](Tensor<T>& tensor) { return tensor.view().slice_rows(0, position + 1); };
  const View<T> c_kv = of(latents_).slice_cols(0, s.kv_latent);
  kernels.linear_forward(of(k_nope_), c_kv, layer_.attn_wuk, {});
  kernels.linear_forward(of(v_), c_kv, layer_.attn_wuv, {});
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> k_h = of(k_).slice_cols(h * (P + R), P + R);
    copy(k_h.slice_cols(0, P), of(k_nope_).slice_cols(h * P, P));
    copy(k_h.slice_cols(P, R), of(latents_).slice_cols(s.kv_latent, R));
    const View<T> q_h = q_.view().slice_cols(h * (P + R), P + R);
    copy(q_h.slice_cols(0, P), q_nope_.view().slice_cols(h * P, P));
    rope_forward(q_h.slice_cols(P, R), q_rope_.view().slice_cols(h * R, R), std::array{position}, s.rope_base);
  }
  kernels.attention_forward(x_attn_.view(), log_sum_.view(),
                            AttentionCall<T>::of(s, q_.view(), of(k_), of(v_), mask, position));
}

// --- The whole model
// --------------------------------------------------------------------------------------------------

template <class T>
Decoder<T>::Decoder(TensorModel<T>& model, const Kernels<T>& kernels, bool absorbed)
    : model_(model), kernels_(kernels) {
  for (const typename TensorModel<T>::Layer& layer : model.layers) {
    caches_.emplace_back(layer.attention, model.length, absorbed);
  }
  for (Tensor<T>* tensor : {&x_, &x_norm_, &out_}) tensor->resize(1, model.config.n_embd);
  hidden_.resize(1, 4 * model.config.n_embd);
  logits_.resize(1, model.config.vocab_size);
}

template <class T>
std::size_t Decoder<T>::cache_bytes() const {
  std::size_t bytes = 0;
  for (const AttentionCache<T>& cache : caches_) bytes += cache.bytes();
  return bytes;
}

template <class T>
std::span<const T> Decoder<T>::next(Token token) {
  const std::array<Token, 1> tokens{token};
  const std::array<std::size_t, 1> positions{position_};
  const View<T> x = x_.view();
  const View<T> x_norm = x_norm_.view();
  const View<T> out = out_.view();
  T scale;  // of rmsnorm; only the backward needs it

  kernels_.embedding_forward(out, tokens, positions, model_.wte.data.view(), model_.wpe.data.view());
  kernels_.rmsnorm_forward(x, &scale, out);
  for (std::size_t li = 0; li < caches_.size(); li++) {
    const typename TensorModel<T>::Layer& layer = model_.layers[li];

    // 1) Attention.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    caches_[li].decode(out, x_norm, kernels_, model_.mask, position_);
    kernels_.add_forward(x, out, x);

    // 2) MLP.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    kernels_.linear_forward(hidden_.view(), x_norm, layer.mlp_fc1, {});
    kernels_.activation_forward(hidden_.view(), hidden_.view(), model_.config.activation);
    kernels_.linear_forward(x, hidden_.view(), layer.mlp_fc2, x);
  }
  kernels_.linear_forward(logits_.view(), x, model_.lm_head, {});
  position_++;
  return {logits_.view().data, logits_.view().cols};
}

template class AttentionCache<float>;
template class AttentionCache<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace microgpt
