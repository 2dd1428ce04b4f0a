#include "tensor/decoder.h"

#include "tensor/matmul.h"
#include "tensor/rope.h"

namespace microgpt {

// --- The caches of a layer ---------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::AttentionCache(const AttentionLayer<T>& layer, std::size_t N, std::size_t length)
    : layer_(layer), length_(length) {
  const AttentionShape& s = layer.shape;
  const std::size_t kept = s.is_latent() ? s.kv_latent + s.rope_dim : s.n_kv_head * (s.key_dim + s.value_dim);
  made_.resize(N, s.n_head * s.key_dim + kept);
  kept_.resize(N * length, kept);
  log_sum_.resize(s.n_head, 1);
  x_attn_.resize(N, s.n_head * s.value_dim);
  if (!s.is_latent()) return;
  c_q_.resize(N, s.q_latent);
  q_.resize(N, s.n_head * (s.kv_latent + s.rope_dim));
  mixed_.resize(N, s.n_head * s.kv_latent);
}

template <class T>
void AttentionCache<T>::make(const View<const T>& x, const Kernels<T>& kernels, Positions positions) {
  const AttentionShape& s = layer_.shape;
  const std::size_t n = x.rows;
  if (s.is_latent()) {
    const std::size_t P = s.nope_dim(), R = s.rope_dim, Lkv = s.kv_latent;
    const View<T> c_q = Share{0, n}.of(c_q_), k_rope = newest(n, Lkv, R);
    kernels.linear_forward(c_q, x, layer_.attn_wdq, {});
    kernels.linear_forward(queries(n, 0, s.n_head * P), c_q, layer_.attn_wuq, {});
    kernels.linear_forward(queries(n, s.n_head * P, s.n_head * R), c_q, layer_.attn_wqr, {});
    kernels.linear_forward(newest(n, 0, Lkv), x, layer_.attn_wdkv, {});
    kernels.linear_forward(k_rope, x, layer_.attn_wkr, {});
    rope_forward(k_rope, k_rope, positions, s.rope_base);
  } else {
    const std::size_t K = s.key_dim, G = s.n_kv_head;
    const View<T> q = queries(n, 0, s.n_head * K), key = newest(n, 0, G * K);
    kernels.linear_forward(q, x, layer_.attn_wq, {});
    kernels.linear_forward(key, x, layer_.attn_wk, {});
    kernels.linear_forward(newest(n, G * K, G * s.value_dim), x, layer_.attn_wv, {});
    rotate_heads(rope_forward<T>, q, s, positions);
    rotate_heads(rope_forward<T>, key, s, positions);
  }
}

template <class T>
void AttentionCache<T>::attend(const View<T>& out, const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
                               Positions positions) {
  make(x, kernels, positions);
  const std::size_t n = positions.size();
  for (std::size_t i = 0; i < n; i++) {
    copy(kept_.view().slice_rows(i * length_ + positions[i], 1), newest(n, 0, kept_.view().cols).slice_rows(i, 1));
  }
  layer_.shape.is_latent() ? attend_latent(kernels, mask, positions) : attend_grouped(kernels, mask, positions);
  kernels.linear_forward(out, Share{0, n}.of(x_attn_), layer_.attn_wo, {});
}

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_grouped(const Kernels<T>& kernels, const Mask& mask, Positions positions) {
  const AttentionShape& s = layer_.shape;
  const std::size_t keys = s.n_kv_head * s.key_dim, values = s.n_kv_head * s.value_dim;
  const View<T> q = queries(positions.size(), 0, s.n_head * s.key_dim);
  for (std::size_t i = 0; i < positions.size(); i++) {
    const std::size_t t = positions[i];
    const View<T> kv = seen(i, t);
    kernels.attention_forward(
        x_attn_.view().slice_rows(i, 1), log_sum_.view(),
        AttentionCall<T>::of(s, q.slice_rows(i, 1), kv.slice_cols(0, keys), kv.slice_cols(keys, values), mask, t));
  }
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
void AttentionCache<T>::attend_latent(const Kernels<T>& kernels, const Mask& mask, Positions positions) {
  const AttentionShape& s = layer_.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim, D = s.value_dim, Lkv = s.kv_latent, n = positions.size();
  const Share rows{0, n};
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> q_h = rows.of(q_).slice_cols(h * (Lkv + R), Lkv + R);
    const View<T> rotary = q_h.slice_cols(Lkv, R);
    // The head's W_UK is (P,Lkv). W_UK^T q_nope, as a row, is q_nope times W_UK.
    matmul(q_h.slice_cols(0, Lkv), queries(n, h * P, P), layer_.attn_wuk.data.view().slice_rows(h * P, P));
    rope_forward(rotary, queries(n, s.n_head * P + h * R, R), positions, s.rope_base);
  }
  for (std::size_t i = 0; i < positions.size(); i++) {
    const View<T> latents = seen(i, positions[i]);
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

// --- The whole model -------------------------------------------------------------------------------------------------

template <class T>
Decoder<T>::Decoder(TensorModel<T>& model, const Kernels<T>& kernels, std::size_t N)
    : model_(model), kernels_(kernels), positions_(N, 0) {
  for (const typename TensorModel<T>::Layer& layer : model.layers) {
    caches_.emplace_back(layer.attention, N, model.length);
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
    caches_[li].attend(out, x_norm, kernels_, model_.mask(li), positions);
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
