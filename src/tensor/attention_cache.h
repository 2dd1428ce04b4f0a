// Attention for a model that generates: one position at a time, with what it must remember of those before (a KV
// cache). MHA, MQA and GQA remember keys and values. MLA remembers the latent vector that all heads' keys and values
// are made of, and the rotary key; it can make them anew for every token, or never make them at all (absorbed, see
// below).
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
  /// For at most `length` positions. The layer must outlive it. `absorbed` matters to MLA only.
  AttentionCache(const SelfAttention<T>& layer, std::size_t length, bool absorbed = true);

  /// out (1,C) from x (1,C), which stands at this position; those before it must have been decoded, in their order.
  void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);

  /// The bytes of the numbers that are kept: of all `length` positions, without what fills a row up to whole vectors.
  std::size_t bytes() const;

 private:
  struct Grouped {
    Grouped(const GroupedAttention<T>& layer, std::size_t length);
    void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);

    const GroupedAttention<T>& layer;
    Tensor<T> keys;                // (T,G*K), kept
    Tensor<T> values;              // (T,G*D), kept
    Tensor<T> q, log_sum, x_attn;  // (1,H*K), (H,1), (1,H*D)
  };

  /// A score is q_nope . (W_UK c_kv) + q_rope . k_rope = (W_UK^T q_nope) . c_kv + q_rope . k_rope. So W_UK can be
  /// absorbed into the query, and W_UV into the output: then attention runs on the latents, as if they were the keys
  /// and the values of a single head that all query heads share.
  struct Latent {
    Latent(const LatentAttention<T>& layer, std::size_t length, bool absorbed);
    void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);
    void attend_absorbed(const Kernels<T>& kernels, const Mask& mask, std::size_t position);
    void attend_expanded(const Kernels<T>& kernels, const Mask& mask, std::size_t position);

    const LatentAttention<T>& layer;
    bool absorbed;
    Tensor<T> latents;                               // (T,Lkv+R): c_kv and k_rope, kept
    Tensor<T> c_q, q_nope, q_rope, log_sum, x_attn;  // (1,Lq), (1,H*P), (1,H*R), (H,1), (1,H*D)
    Tensor<T> q;                                     // (1,H*(Lkv+R)) absorbed, or (1,H*(P+R))
    Tensor<T> mixed;                                 // (1,H*Lkv) latents that absorbed attention has mixed
    Tensor<T> k_nope, k, v;                          // (T,H*P), (T,H*(P+R)), (T,H*D), expanded
  };

  std::variant<Grouped, Latent> kind_;
};

}  // namespace microgpt
