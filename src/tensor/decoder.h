// gpt() one position at a time, for sampling. It keeps the keys and values of earlier positions (a KV cache), so a new
// token costs one row of work.
//
// MHA, MQA and GQA cache keys and values. MLA caches the latent vector, from which all heads' keys and values are
// computed, and the rotary key.
//
// MLA can compute keys and values again for every token (expanded), or never (absorbed). A score is
// q_nope . (W_UK c_kv) + q_rope . k_rope = (W_UK^T q_nope) . c_kv + q_rope . k_rope. So W_UK can be absorbed into the
// query, and W_UV into the output. Then attention runs on the latents, as if they were the keys and values of one head
// that all query heads share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/attention_layer.h"
#include "tensor/gpt.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"

namespace microgpt {

/// The cache of one layer and one document.
template <class T>
class AttentionCache {
 public:
  /// A cache for at most `length` positions. The layer must outlive it. `absorbed` only matters for MLA.
  AttentionCache(const AttentionLayer<T>& layer, std::size_t length, bool absorbed = true);

  /// Computes out (1,C) from x (1,C), the row at `position`. All earlier positions must have been decoded, in order.
  void decode(View<T> out, View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);

  /// How many bytes the cache holds for all `length` positions, without the padding of rows to whole vectors.
  std::size_t bytes() const;

 private:
  void attend_grouped(View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);
  void attend_latent(View<const T> x, const Kernels<T>& kernels, const Mask& mask, std::size_t position);
  void attend_absorbed(const Kernels<T>& kernels, const Mask& mask, std::size_t position);
  void attend_expanded(const Kernels<T>& kernels, const Mask& mask, std::size_t position);

  const AttentionLayer<T>& layer_;
  bool absorbed_;
  Tensor<T> q_, log_sum_, x_attn_;  // (1,H*K), or (1,H*(Lkv+R)) if absorbed; (H,1), (1,H*D)
  Tensor<T> k_, v_;                 // (T,G*K), (T,G*D): cached, or if expanded made again for every token

  // Only in MLA.
  Tensor<T> latents_;                // (T,Lkv+R): c_kv and k_rope, cached
  Tensor<T> c_q_, q_nope_, q_rope_;  // (1,Lq), (1,H*P), (1,H*R)
  Tensor<T> mixed_;                  // (1,H*Lkv) if absorbed: each head's weighted sum of latents
  Tensor<T> k_nope_;                 // (T,H*P) if expanded
};

/// T is float or double. The model must outlive the decoder.
template <class T>
class Decoder {
 public:
  explicit Decoder(TensorModel<T>& model, const Kernels<T>& kernels = fast<T>(), bool absorbed = true);

  const Config& config() const { return model_.config; }

  /// How many tokens a document can have.
  std::size_t length() const { return model_.length; }

  /// How many bytes the caches of all layers hold, for length() tokens and for one. cache_bytes() in
  /// base/attention_shape.h predicts it.
  std::size_t cache_bytes() const;
  std::size_t cache_bytes_per_token() const { return cache_bytes() / length(); }

  /// Starts a new document.
  void reset() { position_ = 0; }

  /// Appends this token and returns the logits, (V), of the next one. They are valid until the next call. A document
  /// has at most length() tokens.
  std::span<const T> next(Token token);

 private:
  TensorModel<T>& model_;
  const Kernels<T>& kernels_;
  std::size_t position_ = 0;
  std::vector<AttentionCache<T>> caches_;         // one per layer
  Tensor<T> x_, x_norm_, hidden_, out_, logits_;  // (1,C), (1,C), (1,4C), (1,C), (1,V)
};

}  // namespace microgpt
