#include "tensor/attention_cache.h"

#include <array>

#include "tensor/matmul.h"
#include "tensor/rope.h"

namespace microgpt {

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::Grouped::Grouped(const GroupedAttention<T>& layer_, std::size_t length)
    : layer(layer_),
      keys(length, layer.shape.n_kv_head * layer.shape.key_dim),
      values(length, layer.shape.n_kv_head * layer.shape.value_dim),
      q(1, layer.shape.n_head * layer.shape.key_dim),
      log_sum(layer.shape.n_head, 1),
      x_attn(1, layer.shape.n_head * layer.shape.value_dim) {}

template <class T>
void AttentionCache<T>::Grouped::decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                                        std::size_t position) {
  const View<T> key = keys.view().slice_rows(position, 1);
  kernels.linear_forward(q.view(), x, layer.attn_wq, {});
  kernels.linear_forward(key, x, layer.attn_wk, {});
  kernels.linear_forward(values.view().slice_rows(position, 1), x, layer.attn_wv, {});
  layer.rotate(q.view(), std::array{position}, key, std::array{position});
  kernels.attention_forward(x_attn.view(), log_sum.view(),
                            AttentionCall<T>::of(layer.shape, q.view(), keys.view().slice_rows(0, position + 1),
                                                 values.view().slice_rows(0, position + 1), mask, position));
  kernels.linear_forward(out, x_attn.view(), layer.attn_wo, {});
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::Latent::Latent(const LatentAttention<T>& layer_, std::size_t length, bool absorbed_)
    : layer(layer_),
      absorbed(absorbed_),
      latents(length, layer.shape.kv_latent + layer.shape.rope_dim),
      c_q(1, layer.shape.q_latent),
      q_nope(1, layer.shape.n_head * layer.shape.nope_dim()),
      q_rope(1, layer.shape.n_head * layer.shape.rope_dim),
      log_sum(layer.shape.n_head, 1),
      x_attn(1, layer.shape.n_head * layer.shape.value_dim) {
  const AttentionShape& s = layer.shape;
  if (absorbed) {
    q.resize(1, s.n_head * (s.kv_latent + s.rope_dim));
    mixed.resize(1, s.n_head * s.kv_latent);
  } else {
    q.resize(1, s.n_head * s.key_dim);
    k_nope.resize(length, s.n_head * s.nope_dim());
    k.resize(length, s.n_head * s.key_dim);
    v.resize(length, s.n_head * s.value_dim);
  }
}

template <class T>
void AttentionCache<T>::Latent::decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                                       std::size_t position) {
  const AttentionShape& s = layer.shape;
  const View<T> latent = latents.view().slice_rows(position, 1);
  const View<T> k_rope = latent.slice_cols(s.kv_latent, s.rope_dim);
  kernels.linear_forward(c_q.view(), x, layer.attn_wdq, {});
  kernels.linear_forward(q_nope.view(), c_q.view(), layer.attn_wuq, {});
  kernels.linear_forward(q_rope.view(), c_q.view(), layer.attn_wqr, {});
  kernels.linear_forward(latent.slice_cols(0, s.kv_latent), x, layer.attn_wdkv, {});
  kernels.linear_forward(k_rope, x, layer.attn_wkr, {});
  rope_forward(k_rope, k_rope, std::array{position}, s.rope_base);
  if (absorbed) {
    attend_absorbed(kernels, mask, position);
  } else {
    attend_expanded(kernels, mask, position);
  }
  kernels.linear_forward(out, x_attn.view(), layer.attn_wo, {});
}

template <class T>
void AttentionCache<T>::Latent::attend_absorbed(const Kernels<T>& kernels, const Mask& mask, std::size_t position) {
  const AttentionShape& s = layer.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim, D = s.value_dim, Lkv = s.kv_latent;
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> q_h = q.view().slice_cols(h * (Lkv + R), Lkv + R);
    const View<T> rotary = q_h.slice_cols(Lkv, R);
    // The head's W_UK is (P,Lkv). W_UK^T q_nope, as a row, is q_nope times W_UK.
    matmul(q_h.slice_cols(0, Lkv), q_nope.view().slice_cols(h * P, P), layer.attn_wuk.data.view().slice_rows(h * P, P));
    rope_forward(rotary, q_rope.view().slice_cols(h * R, R), std::array{position}, s.rope_base);
  }
  const View<T> seen = latents.view().slice_rows(0, position + 1);
  kernels.attention_forward(mixed.view(), log_sum.view(),
                            {.q = q.view(),
                             .k = seen,
                             .v = seen.slice_cols(0, Lkv),
                             .n_head = s.n_head,
                             .n_kv_head = 1,
                             .scale = s.scale(),  // the scores have not changed, so neither has their scale
                             .mask = mask,
                             .first_query = position});
  for (std::size_t h = 0; h < s.n_head; h++) {
    matmul(x_attn.view().slice_cols(h * D, D), mixed.view().slice_cols(h * Lkv, Lkv),
           layer.attn_wuv.transposed.view().slice_cols(h * D, D));
  }
}

template <class T>
void AttentionCache<T>::Latent::attend_expanded(const Kernels<T>& kernels, const Mask& mask, std::size_t position) {
  const AttentionShape& s = layer.shape;
  const std::size_t P = s.nope_dim(), R = s.rope_dim;
  const Share seen{0, position + 1};
  auto of = [&](Tensor<T>& tensor) { return tensor.view().slice_rows(seen.first, seen.n); };
  const View<T> c_kv = of(latents).slice_cols(0, s.kv_latent);
  kernels.linear_forward(of(k_nope), c_kv, layer.attn_wuk, {});
  kernels.linear_forward(of(v), c_kv, layer.attn_wuv, {});
  for (std::size_t h = 0; h < s.n_head; h++) {
    const View<T> k_h = of(k).slice_cols(h * (P + R), P + R);
    copy(k_h.slice_cols(0, P), of(k_nope).slice_cols(h * P, P));
    copy(k_h.slice_cols(P, R), of(latents).slice_cols(s.kv_latent, R));
    const View<T> q_h = q.view().slice_cols(h * (P + R), P + R);
    copy(q_h.slice_cols(0, P), q_nope.view().slice_cols(h * P, P));
    rope_forward(q_h.slice_cols(P, R), q_rope.view().slice_cols(h * R, R), std::array{position}, s.rope_base);
  }
  kernels.attention_forward(x_attn.view(), log_sum.view(),
                            AttentionCall<T>::of(s, q.view(), of(k), of(v), mask, position));
}

// --- Both ------------------------------------------------------------------------------------------------------------

template <class T>
AttentionCache<T>::AttentionCache(const SelfAttention<T>& self, std::size_t length, bool absorbed)
    : kind_(std::holds_alternative<GroupedAttention<T>>(self.kind())
                ? std::variant<Grouped, Latent>(Grouped(std::get<GroupedAttention<T>>(self.kind()), length))
                : Latent(std::get<LatentAttention<T>>(self.kind()), length, absorbed)) {}

template <class T>
void AttentionCache<T>::decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask,
                               std::size_t position) {
  std::visit([&](auto& kind) { kind.decode(out, x, kernels, mask, position); }, kind_);
}

template <class T>
std::size_t AttentionCache<T>::bytes() const {
  auto size = [](const Tensor<T>& kept) { return kept.view().rows * kept.view().cols * sizeof(T); };
  if (const auto* grouped = std::get_if<Grouped>(&kind_)) return size(grouped->keys) + size(grouped->values);
  return size(std::get<Latent>(kind_).latents);
}

template class AttentionCache<float>;
template class AttentionCache<double>;

}  // namespace microgpt
