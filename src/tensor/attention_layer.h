// Attention as a layer: linear layers make queries, keys and values, the attention kernels mix the values, and a last
// linear layer, attn_wo, takes the mixture to the width of the model. The kinds differ in where keys and values come
// from, and so in how many numbers a model that generates must remember of each position:
//
//   MHA  multi-head attention (Vaswani et al. 2017): each head has its own keys and values      H (K + D)
//   MQA  multi-query attention (Shazeer 2019): all heads share them                             K + D
//   GQA  grouped-query attention (Ainslie et al. 2023): groups of heads do                      G (K + D)
//   MLA  multi-head latent attention (DeepSeek-V2, 2024): all are made from one short vector    Lkv + R
//
// The first three are GroupedAttention, with G = H, G = 1, and G between. The fourth is LatentAttention.
//
// Letters, beside those of kernels.h: M positions that keys and values come from, and those of base/attention_shape.h.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "base/attention_shape.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"
#include "tensor/weight.h"

namespace microgpt {

/// One document among the rows of a batch.
struct Sequence {
  Share queries;     // its rows of x
  Share keys;        // its rows of kv
  const Mask* mask;  // which of these keys each of these queries sees
};

/// What a layer is called with. In self-attention kv is x, and its positions are those of x.
template <class T>
struct AttentionInput {
  View<const T> x;                            // (N,C) queries come from here
  View<const T> kv;                           // (M,C) keys and values come from here
  std::span<const std::size_t> positions;     // (N) where in its document a row of x stands
  std::span<const std::size_t> kv_positions;  // (M)
  std::span<const Sequence> sequences;        // each begins in the rows where the one before it ends
  Dropout dropout = {};                       // of the weights of attention
};

/// What the forward leaves for the backward, and the backward for the gradients of the weights, in every kind of
/// attention.
template <class T>
struct AttentionActivations {
  Tensor<T> q;        // (N,H*K)
  Tensor<T> k;        // (M,G*K)
  Tensor<T> v;        // (M,G*D)
  Tensor<T> log_sum;  // (H,N) of the softmax
  Tensor<T> x_attn;   // (N,H*D) the mixed values

  Tensor<T> dq, dk, dv, dx_attn;  // the gradients of these

  void resize(const AttentionShape& shape, std::size_t N, std::size_t M);
};

template <class T>
struct NamedWeight {
  const char* name;
  Weight<T>* weight;
};

// Both kinds have the same functions. A step has two halves, as in gpt.h: in the first a thread takes some sequences
// through forward and backward; in the second, when all have been, it takes some rows of every weight.

/// Multi-head, multi-query and grouped-query attention:
///   q = x attn_wq^T,  k = kv attn_wk^T,  v = kv attn_wv^T,  out = attention(q, k, v) attn_wo^T
/// With RoPE, the last R numbers of every head's query and key are rotated by their positions: in a model, all of them.
template <class T>
struct GroupedAttention {
  explicit GroupedAttention(const AttentionShape& shape);

  struct Activations : AttentionActivations<T> {
    /// Makes room for N queries and M keys.
    void resize(const GroupedAttention& layer, std::size_t N, std::size_t M);
  };

  /// out (N,C), which is added to `before`, if that has rows: the rows of the input's sequences are set, and those of
  /// the activations.
  void forward(View<T> out, View<const T> before, const Kernels<T>& kernels, const AttentionInput<T>& input,
               Activations& activations) const;

  /// From dout (N,C), after the forward: dx (N,C), the gradient of x as it acts through queries, and dkv (M,C), that of
  /// kv through keys and values. If both are the same view, as in self-attention, it gets their sum.
  void backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                Activations& activations) const;

  /// The gradient of the weights, after the backward of all sequences: of the i-th share of the rows of each. Of the
  /// input, the sequences do not matter.
  void backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                        const Activations& activations, std::size_t i, std::size_t shares);

  std::vector<NamedWeight<T>> weights();

  /// Rotates queries (N,H*K) and keys (M,G*K) by their positions, if there is RoPE.
  void rotate(View<T> q, std::span<const std::size_t> positions, View<T> k,
              std::span<const std::size_t> kv_positions) const;

  AttentionShape shape;
  Weight<T> attn_wq;  // (H*K,C)
  Weight<T> attn_wk;  // (G*K,C)
  Weight<T> attn_wv;  // (G*D,C)
  Weight<T> attn_wo;  // (C,H*D)
};

/// Multi-head latent attention: DeepSeek-V2 (2024), equations 37 to 47, which leave out the RMSNorm that the model has
/// behind both latents. From a position, only c_kv and k_rope need be remembered, and all heads share them. RoPE is
/// "decoupled", it rotates numbers of their own: since q_nope . (attn_wuk c_kv) = (attn_wuk^T q_nope) . c_kv, a model
/// that generates can take scores with c_kv itself, and a rotation by each key's position would stand between the two.
///   c_q = x attn_wdq^T       q_h = [c_q attn_wuq_h^T, rope(c_q attn_wqr_h^T)]            (37-40)
///   c_kv = kv attn_wdkv^T    k_h = [c_kv attn_wuk_h^T, k_rope]                           (41, 42, 44)
///                            k_rope = rope(kv attn_wkr^T),  v_h = c_kv attn_wuv_h^T      (43, 45)
///   out = attention(q, k, v) attn_wo^T, with scores scaled by 1 / sqrt(P + R)            (46, 47)
template <class T>
struct LatentAttention {
  explicit LatentAttention(const AttentionShape& shape);

  struct Activations : AttentionActivations<T> {
    Tensor<T> c_q;     // (N,Lq)
    Tensor<T> q_nope;  // (N,H*P)
    Tensor<T> q_rope;  // (N,H*R) before it is rotated
    Tensor<T> c_kv;    // (M,Lkv)
    Tensor<T> k_nope;  // (M,H*P)
    Tensor<T> k_rope;  // (M,R) rotated

    // The gradients of these; of q_rope and k_rope, before they are rotated.
    Tensor<T> dc_q, dq_nope, dq_rope, dc_kv, dk_nope, dk_rope;

    void resize(const LatentAttention& layer, std::size_t N, std::size_t M);
  };

  // As in GroupedAttention.
  void forward(View<T> out, View<const T> before, const Kernels<T>& kernels, const AttentionInput<T>& input,
               Activations& activations) const;
  void backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                Activations& activations) const;
  void backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                        const Activations& activations, std::size_t i, std::size_t shares);

  /// Without attn_wqr and attn_wkr if there is no RoPE.
  std::vector<NamedWeight<T>> weights();

  AttentionShape shape;
  Weight<T> attn_wdq;   // (Lq,C) down: x to its latent
  Weight<T> attn_wuq;   // (H*P,Lq) up: the latent to queries
  Weight<T> attn_wqr;   // (H*R,Lq)
  Weight<T> attn_wdkv;  // (Lkv,C)
  Weight<T> attn_wuk;   // (H*P,Lkv)
  Weight<T> attn_wuv;   // (H*D,Lkv)
  Weight<T> attn_wkr;   // (R,C)
  Weight<T> attn_wo;    // (C,H*D)
};

/// The attention of a model, of whichever kind its shape asks for, from and to the rows of x: N positions, C wide.
template <class T>
class SelfAttention {
 public:
  explicit SelfAttention(const AttentionShape& shape);

  struct Activations {
    void resize(const SelfAttention& layer, std::size_t N);

    typename GroupedAttention<T>::Activations grouped;  // one of the two is used
    typename LatentAttention<T>::Activations latent;
  };

  /// As in GroupedAttention, with x in kv's place too; dx is the whole gradient of x.
  void forward(View<T> out, View<const T> before, const Kernels<T>& kernels, const AttentionInput<T>& input,
               Activations& activations) const;
  void backward(View<T> dx, View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                Activations& activations) const;
  void backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                        const Activations& activations, std::size_t i, std::size_t shares);

  /// In the order of the parameters.
  std::vector<NamedWeight<T>> weights();

  const std::variant<GroupedAttention<T>, LatentAttention<T>>& kind() const { return kind_; }

 private:
  std::variant<GroupedAttention<T>, LatentAttention<T>> kind_;
};

}  // namespace microgpt
