// The arguments of the attention kernels. The sizes of a head follow from the matrices.
#pragma once

#include <cstddef>

#include "base/attention_shape.h"
#include "tensor/dropout.h"
#include "tensor/mask.h"
#include "tensor/view.h"

namespace microgpt {

/// One query head of a call, with the key and value head it reads.
template <class T>
struct AttentionHead {
  View<const T> q;  // (n,K)
  View<const T> k;  // (m,K)
  View<const T> v;  // (m,D)
  T scale;
  const Mask& mask;
  std::size_t first_query;
  Dropout dropout;  // of this head's weights: one row per position

  /// The same head with only the n queries from `first` on.
  AttentionHead queries(std::size_t first, std::size_t n) const {
    return {q.slice_rows(first, n), k, v, scale, mask, first_query + first, dropout};
  }
};

/// The gradients of q, k and v, in the same shapes, for a call or for one head.
template <class T>
struct AttentionGradients {
  View<T> dq, dk, dv;
};

/// Attention of one document. The mask must outlive the call.
template <class T>
struct AttentionCall {
  View<const T> q;              // (n,H*K) queries
  View<const T> k;              // (m,G*K) keys
  View<const T> v;              // (m,G*D) values
  std::size_t n_head;           // H
  std::size_t n_kv_head;        // G: H in multi-head, 1 in multi-query, in between in grouped-query attention
  double scale;                 // 1 / sqrt(K): every score is multiplied by it
  const Mask& mask;             // which keys a query sees
  std::size_t first_query = 0;  // query i is at position first_query + i of the mask
  Dropout dropout = {};         // of the weights; head h uses dropout.of(h)

  /// A call for a layer of this shape.
  static AttentionCall of(const AttentionShape& shape, const View<const T>& q, const View<const T>& k,
                          const View<const T>& v, const Mask& mask, std::size_t first_query = 0) {
    return {q, k, v, shape.n_head, shape.n_kv_head, shape.scale(), mask, first_query};
  }

  std::size_t key_dim() const { return q.cols / n_head; }       // K: numbers in a head's query or key
  std::size_t value_dim() const { return v.cols / n_kv_head; }  // D: numbers in a head's value

  /// The key and value head that query head h reads, and whether h is the first that reads it.
  std::size_t kv_head(std::size_t h) const { return h * n_kv_head / n_head; }
  bool is_first_of_group(std::size_t h) const { return h * n_kv_head % n_head == 0; }

  AttentionHead<T> head(std::size_t h) const { return head(h, key_dim(), value_dim()); }

  /// The same for a kernel that knows K and D at compile time.
  AttentionHead<T> head(std::size_t h, std::size_t K, std::size_t D) const {
    const std::size_t g = kv_head(h);
    return {q.slice_cols(h * K, K),
            k.slice_cols(g * K, K),
            v.slice_cols(g * D, D),
            static_cast<T>(scale),
            mask,
            first_query,
            dropout.of(h)};
  }

  /// The gradients of head h. The heads of a group share dk and dv.
  AttentionGradients<T> head(const AttentionGradients<T>& all, std::size_t h, std::size_t K, std::size_t D) const {
    const std::size_t g = kv_head(h);
    return {all.dq.slice_cols(h * K, K), all.dk.slice_cols(g * K, K), all.dv.slice_cols(g * D, D)};
  }
};

}  // namespace microgpt
