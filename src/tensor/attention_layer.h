// Attention as a layer: linear layers make queries, keys and values, the attention kernels mix the values, and a last
// linear layer, attn_wo, brings the mixture back to the model's width. The kinds differ in where keys and values come
// from, and so in how many numbers a cache must keep per position while the model generates:
//
//   MHA  multi-head attention (Vaswani et al. 2017): each head has its own keys and values      H (K + D)
//   MQA  multi-query attention (Shazeer 2019): all heads share them                             K + D
//   GQA  grouped-query attention (Ainslie et al. 2023): groups of heads do                      G (K + D)
//   MLA  multi-head latent attention (DeepSeek-V2, 2024): all are made from one short vector    Lkv + R
//
// Letters: those of kernels.h and base/attention_shape.h, and M, the number of positions that keys and values come
// from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/attention_shape.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/rope.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"
#include "tensor/weight.h"

namespace microgpt {

/// One document among the rows of a batch.
struct Sequence {
  Share queries;     // its rows of x
  Share keys;        // its rows of kv
  const Mask* mask;  // which keys each query sees

  /// Its part of any matrix or list that has one row per row of x, or of kv.
  auto x(auto&& all) const { return queries.of(all); }
  auto kv(auto&& all) const { return keys.of(all); }
};

/// A head whose output is not what it computes, but the same D numbers for every query. This tells what the head is
/// for: see heads/importance.h.
template <class T>
struct FixedHead {
  std::size_t head;
  std::vector<T> output;
};

/// The input of a layer. In self-attention kv is x, and kv_positions is positions.
template <class T>
struct AttentionInput {
  View<const T> x;                            // (N,C) queries come from here
  View<const T> kv;                           // (M,C) keys and values come from here
  std::span<const std::size_t> positions;     // (N) the position of each row of x in its document
  std::span<const std::size_t> kv_positions;  // (M)
  std::span<const Sequence> sequences;        // one after the other, without gaps
  Dropout dropout = {};                       // of the attention weights
  std::span<const FixedHead<T>> fixed = {};   // only forward knows of these
};

/// What the forward keeps for the backward, and the backward for the gradients of the weights.
template <class T>
struct AttentionActivations {
  /// Makes room for N queries and M keys.
  void resize(const AttentionShape& shape, std::size_t N, std::size_t M);

  Tensor<T> q;        // (N,H*K)
  Tensor<T> k;        // (M,G*K)
  Tensor<T> v;        // (M,G*D)
  Tensor<T> log_sum;  // (H,N) logarithms of the softmax denominators
  Tensor<T> x_attn;   // (N,H*D) the mixed values

  Tensor<T> dq, dk, dv, dx_attn;  // the gradients of these

  // Only in MLA.
  Tensor<T> c_q;     // (N,Lq)
  Tensor<T> q_nope;  // (N,H*P)
  Tensor<T> q_rope;  // (N,H*R) before the rotation
  Tensor<T> c_kv;    // (M,Lkv)
  Tensor<T> k_nope;  // (M,H*P)
  Tensor<T> k_rope;  // (M,R) after the rotation

  // The gradients of these; dq_rope and dk_rope are those before the rotation.
  Tensor<T> dc_q, dq_nope, dq_rope, dc_kv, dk_nope, dk_rope;
};

template <class T>
struct NamedWeight {
  const char* name;
  Weight<T>* weight;
};

/// A layer of the kind that its shape asks for. A step has two halves, as in gpt.h. In the first, a thread takes some
/// sequences through forward and backward. When all threads are done, in the second half, each thread takes some rows
/// of every weight.
///
/// Multi-head, multi-query and grouped-query attention:
///   q = x attn_wq^T,  k = kv attn_wk^T,  v = kv attn_wv^T,  out = attention(q, k, v) attn_wo^T
/// With RoPE, the last R numbers of every head's query and key are rotated by position. In a model, R = K.
///
/// Multi-head latent attention: DeepSeek-V2 (2024), equations 37 to 47. The equations leave out the RMSNorm that the
/// model applies to both latents. A cache only needs c_kv and k_rope, and all heads share them. RoPE is "decoupled": it
/// rotates extra numbers, q_rope and k_rope. The reason: q_nope . (attn_wuk c_kv) = (attn_wuk^T q_nope) . c_kv, so a
/// model that generates can compute scores from c_kv directly; a rotation by each key's position would come between the
/// two factors.
///   c_q = x attn_wdq^T       q_h = [c_q attn_wuq_h^T, rope(c_q attn_wqr_h^T)]            (37-40)
///   c_kv = kv attn_wdkv^T    k_h = [c_kv attn_wuk_h^T, k_rope]                           (41, 42, 44)
///                            k_rope = rope(kv attn_wkr^T),  v_h = c_kv attn_wuv_h^T      (43, 45)
///   out = attention(q, k, v) attn_wo^T, with scores scaled by 1 / sqrt(P + R)            (46, 47)
template <class T>
struct AttentionLayer {
  explicit AttentionLayer(const AttentionShape& shape);

  /// Computes out (N,C), plus `before` unless that has no rows. Sets only the rows of the input's sequences, in `out`
  /// and in the activations.
  void forward(View<T> out, View<const T> before, const Kernels<T>& kernels, const AttentionInput<T>& input,
               AttentionActivations<T>& activations) const;

  /// Call it after forward. Computes from dout (N,C): dx (N,C), the gradient of x through the queries, and dkv (M,C),
  /// the gradient of kv through keys and values. If dx and dkv are the same view, as in self-attention, it gets their
  /// sum.
  void backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                AttentionActivations<T>& activations) const;

  /// Computes some rows of every weight's gradient, from the input's sequences. Call it after their backward.
  void backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                        const AttentionActivations<T>& activations, const WeightRows& which);

  /// Those that the shape asks for, as attention_matrices() lists them.
  std::vector<NamedWeight<T>> weights();

  AttentionShape shape;

  // MHA, MQA and GQA.
  Weight<T> attn_wq{0, 0};  // (H*K,C)
  Weight<T> attn_wk{0, 0};  // (G*K,C)
  Weight<T> attn_wv{0, 0};  // (G*D,C)

  // MLA.
  Weight<T> attn_wdq{0, 0};   // (Lq,C) down: x to its latent
  Weight<T> attn_wuq{0, 0};   // (H*P,Lq) up: the latent to queries
  Weight<T> attn_wqr{0, 0};   // (H*R,Lq)
  Weight<T> attn_wdkv{0, 0};  // (Lkv,C)
  Weight<T> attn_wuk{0, 0};   // (H*P,Lkv)
  Weight<T> attn_wuv{0, 0};   // (H*D,Lkv)
  Weight<T> attn_wkr{0, 0};   // (R,C)

  Weight<T> attn_wo{0, 0};  // (C,H*D) all kinds
};

/// Rotates the last R numbers of every head of x, queries (N,H*K) or keys (M,G*K), in place. The rotation is
/// rope_forward or rope_backward of tensor/rope.h.
template <class T>
void rotate_heads(decltype(rope_forward<T>)* rotation, View<T> x, const AttentionShape& shape,
                  std::span<const std::size_t> positions);

}  // namespace microgpt
