// gpt() one position at a time, for sampling. It keeps the keys and values of earlier positions (a KV cache), so a new
// token costs one row of work. Several documents can grow side by side: their tokens are the rows of one product.
//
// MHA, MQA and GQA cache keys and values. MLA caches the latent vector, from which all heads' keys and values are
// computed, and the rotary key.
//
// MLA never computes keys and values from it. A score is
// q_nope . (W_UK c_kv) + q_rope . k_rope = (W_UK^T q_nope) . c_kv + q_rope . k_rope. So W_UK is absorbed into the
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
  /// Caches for N documents of at most `length` positions. The layer must outlive them.
  AttentionCache(const AttentionLayer<T>& layer, std::size_t N, std::size_t length);

  using Positions = std::span<const std::size_t>;

  /// Computes out (n,C) from x (n,C), whose row i is at positions[i] of document i, and from what is kept of earlier
  /// positions: all of them must have been attended, in order. Row i of out depends only on document i.
  void attend(const View<T>& out, const View<const T>& x, const Kernels<T>& kernels, const Mask& mask,
              Positions positions);

  /// How many bytes the cache of one document holds for all `length` positions, without the padding of rows to whole
  /// vectors.
  std::size_t bytes() const { return length_ * kept_.view().cols * sizeof(T); }

 private:
  /// Makes of x the queries of these positions, and what is kept of them.
  void make(const View<const T>& x, const Kernels<T>& kernels, Positions positions);
  void attend_grouped(const Kernels<T>& kernels, const Mask& mask, Positions positions);
  void attend_latent(const Kernels<T>& kernels, const Mask& mask, Positions positions);

  /// Parts of what was made for n documents: some columns of the queries, and of what is kept.
  View<T> made(std::size_t n) { return Share{0, n}.of(made_); }
  View<T> queries(std::size_t n, std::size_t first, std::size_t cols) { return made(n).slice_cols(first, cols); }
  View<T> newest(std::size_t n, std::size_t first, std::size_t cols) {
    return made(n).slice_cols(made_.view().cols - kept_.view().cols + first, cols);
  }

  /// What is kept of document i, up to this position.
  View<T> seen(std::size_t i, std::size_t position) { return kept_.view().slice_rows(i * length_, position + 1); }

  const AttentionLayer<T>& layer_;
  std::size_t length_;
  Tensor<T> made_;              // (N,H*K+kept): queries, in MLA all q_nope before all q_rope; and what is kept
  Tensor<T> kept_;              // (N*T,kept): keys and values (G*K+G*D), or in MLA c_kv and k_rope (Lkv+R)
  Tensor<T> log_sum_, x_attn_;  // (H,1), (N,H*D)

  // Only in MLA.
  Tensor<T> c_q_;    // (N,Lq)
  Tensor<T> q_;      // (N,H*(Lkv+R))
  Tensor<T> mixed_;  // (N,H*Lkv) each head's weighted sum of latents
};

/// T is float or double. The model must outlive the decoder, and stay as it is.
template <class T>
class Decoder {
 public:
  /// A decoder for up to N documents at a time.
  explicit Decoder(TensorModel<T>& model, const Kernels<T>& kernels = fast<T>(), std::size_t N = 1);

  const Config& config() const { return model_.config; }

  /// N.
  std::size_t documents() const { return positions_.size(); }

  /// How many tokens a document can have.
  std::size_t length() const { return model_.length; }

  /// How many bytes the caches of all layers hold for a document of length() tokens, as cache_bytes() in
  /// base/attention_shape.h predicts.
  std::size_t cache_bytes() const;

  /// Document i starts anew.
  void reset(std::size_t i = 0) { positions_[i] = 0; }

  /// Appends tokens[i] to document i, for n documents, and returns the logits (n,V) of their next tokens, which are
  /// valid until the next call, and may be overwritten. A document has at most length() tokens.
  View<T> next(std::span<const Token> tokens);

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
