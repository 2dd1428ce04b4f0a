// gpt() one position at a time, for sampling. It keeps the keys and values of earlier positions (a KV cache), so a new
// token costs one row of work. Several documents can grow side by side: their tokens are the rows of one product.
//
// MHA, MQA and GQA cache keys and values. MLA caches the latent vector, from which all heads' keys and values are
// computed, and the rotary key.
//
// MLA can compute keys and values again for every token (expanded), or never (absorbed). A score is
// q_nope . (W_UK c_kv) + q_rope . k_rope = (W_UK^T q_nope) . c_kv + q_rope . k_rope. So W_UK can be absorbed into the
// query, and W_UV into the output. Then attention runs on the latents, as if they were the keys and values of one head
// that all query heads share.
//
// Letters: those of kernels.h; here N is the number of documents, and T the most positions in one.
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

/// The caches of one layer, for N documents.
template <class T>
class AttentionCache {
 public:
  /// Caches for N documents of at most `length` positions. The layer must outlive them. `absorbed` only matters for
  /// MLA.
  AttentionCache(const AttentionLayer<T>& layer, std::size_t N, std::size_t length, bool absorbed = true);

  /// Computes out (n,C) from x (n,C), for the first n documents: row i is at positions[i] of document i, of which all
  /// earlier positions must have been decoded, in order.
  void decode(const View<T>& out, const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
              std::span<const std::size_t> positions);

  /// How many bytes the cache of one document holds for all `length` positions, without the padding of rows to whole
  /// vectors.
  std::size_t bytes() const;

 private:
  using Positions = std::span<const std::size_t>;
  void attend_grouped(const View<const T>& x, const Kernels<T>& kernels, const Mask& mask, Positions positions);
  void attend_latent(const View<const T>& x, const Kernels<T>& kernels, const Mask& mask, Positions positions);
  void attend_absorbed(const Kernels<T>& kernels, const Mask& mask, Positions positions);
  void attend_expanded(const Kernels<T>& kernels, const Mask& mask, Positions positions);

  /// Appends a row to each document's cache.
  void append(Tensor<T>& cache, const View<const T>& rows, Positions positions);

  /// What document i's cache holds, up to this position.
  View<T> seen(Tensor<T>& cache, std::size_t i, std::size_t position) {
    return cache.view().slice_rows(i * length_, position + 1);
  }

  const AttentionLayer<T>& layer_;
  std::size_t length_;
  bool absorbed_;
  Tensor<T> q_, log_sum_, x_attn_;  // (N,H*K), or (N,H*(Lkv+R)) if absorbed; (H,1), (N,H*D)
  Tensor<T> key_, value_;           // (N,G*K), (N,G*D): of the new tokens
  Tensor<T> k_, v_;                 // (N*T,G*K), (N*T,G*D): cached, or if expanded made again for every token

  // Only in MLA.
  Tensor<T> latent_, latents_;       // (N,Lkv+R), (N*T,Lkv+R): c_kv and k_rope, of the new tokens and cached
  Tensor<T> c_q_, q_nope_, q_rope_;  // (N,Lq), (N,H*P), (N,H*R)
  Tensor<T> mixed_;                  // (N,H*Lkv) if absorbed: each head's weighted sum of latents
  Tensor<T> k_nope_;                 // (T,H*P) if expanded
};

/// T is float or double. The model must outlive the decoder.
template <class T>
class Decoder {
 public:
  /// A decoder for up to N documents at a time.
  explicit Decoder(TensorModel<T>& model, const Kernels<T>& kernels = fast<T>(), bool absorbed = true,
                   std::size_t N = 1);
  virtual ~Decoder() = default;

  const Config& config() const { return model_.config; }

  /// N.
  std::size_t documents() const { return positions_.size(); }

  /// How many tokens a document can have.
  std::size_t length() const { return model_.length; }

  /// How many bytes the caches of all layers hold for a document, for length() tokens and for one. cache_bytes() in
  /// base/attention_shape.h predicts it.
  std::size_t cache_bytes() const;
  std::size_t cache_bytes_per_token() const { return cache_bytes() / length(); }

  /// Document i starts anew.
  virtual void reset(std::size_t i = 0) { positions_[i] = 0; }

  /// Appends tokens[i] to document i, for n documents, and returns the logits (n,V) of their next tokens, which are
  /// valid until the next call, and may be overwritten. A document has at most length() tokens.
  virtual View<T> next(std::span<const Token> tokens);

  /// The same for a single document: the logits are (V).
  std::span<T> next(Token token);

 private:
  TensorModel<T>& model_;
  const Kernels<T>& kernels_;
  std::vector<std::size_t> positions_;            // (N) how long each document is
  std::vector<AttentionCache<T>> caches_;         // one per layer
  Tensor<T> scale_;                               // (1,N) of rmsnorm; only the backward needs it
  Tensor<T> x_, x_norm_, hidden_, out_, logits_;  // (N,C), (N,C), (N,4C), (N,C), (N,V)
};

}  // namespace microgpt
