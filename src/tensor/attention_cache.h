// Attention while a model generates: one position at a time, with a KV cache of the earlier positions. MHA, MQA and GQA
// cache keys and values. MLA caches the latent vector, from which all heads' keys and values are computed, and the
// rotary key. It can compute keys and values again for every token, or never compute them at all (absorbed, see below).
#pragma once

#include <cstddef>
#include <variant>

#include "tensor/attention_layer.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"

namespace microgpt {

/// The cache of one layer and one document.
template <class T>
class AttentionCache {
 public:
  /// A cache for at most `length` positions. The layer must outlive it. `absorbed` only matters for MLA.
  AttentionCache(const SelfAttention<T>& layer, std::size_t length, bool absorbed = true);

  /// Computes out (1,C) from x (1,C), the row at `position`. All earlier positions must have been decoded, in order.
  void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);

  /// How many bytes the cache holds for all `length` positions, without the padding of rows to whole vectors.
  std::size_t bytes() const;

 private:
  struct Grouped {
    Grouped(const GroupedAttention<T>& layer, std::size_t length);
    void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);

    const GroupedAttention<T>& layer;
    Tensor<T> keys;                // (T,G*K), cached
    Tensor<T> values;              // (T,G*D), cached
    Tensor<T> q, log_sum, x_attn;  // (1,H*K), (H,1), (1,H*D)
  };

  /// A score is q_nope . (W_UK c_kv) + q_rope . k_rope = (W_UK^T q_nope) . c_kv + q_rope . k_rope. So W_UK can be
  /// absorbed into the query, and W_UV into the output. Then attention runs on the latents, as if they were the keys
  /// and values of one head that all query heads share.
  struct Latent {
    Latent(const LatentAttention<T>& layer, std::size_t length, bool absorbed);
    void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);
    void attend_absorbed(const Kernels<T>& kernels, const Mask& mask, std::size_t position);
    void attend_expanded(const Kernels<T>& kernels, const Mask& mask, std::size_t position);

    const LatentAttention<T>& layer;
    bool absorbed;
    Tensor<T> latents;                               // (T,Lkv+R): c_kv and k_rope, cached
    Tensor<T> c_q, q_nope, q_rope, log_sum, x_attn;  // (1,Lq), (1,H*P), (1,H*R), (H,1), (1,H*D)
    Tensor<T> q;                                     // (1,H*(Lkv+R)) if absorbed, else (1,H*(P+R))
    Tensor<T> mixed;                                 // (1,H*Lkv) if absorbed: each head's weighted sum of latents
    Tensor<T> k_nope, k, v;                          // (T,H*P), (T,H*(P+R)), (T,H*D) if not absorbed
  };

  std::variant<Grouped, Latent> kind_;
};

}  // namespace microgpt
