// What attention is called with. Every kernel of attention takes an AttentionCall; the sizes of a head follow from its
// matrices.
#pragma once

#include <cstddef>

#include "base/attention_shape.h"
#include "tensor/dropout.h"
#include "tensor/mask.h"
#include "tensor/view.h"

namespace microgpt {

/// One head of a call, and the key and value head that it reads.
template <class T>
struct AttentionHead {
  View<const T> q;  // (n,K)
  View<const T> k;  // (m,K)
  View<const T> v;  // (m,D)
  T scale;
  const Mask& mask;
  std::size_t first_query;
  Dropout dropout;  // of this head's weights, with a row for each position

  /// The queries first to first + n alone.
  AttentionHead queries(std::size_t first, std::size_t n) const {
    return {q.slice_rows(first, n), k, v, scale, mask, first_query + first, dropout};
  }
};

/// The gradients of what attention mixes, in the shapes of q, k and v: of a call or of one head.
template <class T>
struct AttentionGradients {
  View<T> dq, dk, dv;
};

/// Attention of one document. The mask must outlive the call.
template <class T>
struct AttentionCall {
  View<const T> q;        // (n,H*K) queries
  View<const T> k;        // (m,G*K) keys
  View<const T> v;        // (m,G*D) values
  std::size_t n_head;     // H
  std::size_t n_kv_head;  // G: H in multi-head attention, 1 in multi-query attention, between them grouped queries
  double scale;           // of the scores: 1 / sqrt(K)
  const Mask& mask;       // which keys a query sees
  std::size_t first_query = 0;  // query i stands at position first_query + i of the mask
  Dropout dropout = {};         // of the weights: dropout.of(h) is that of head h

  /// A call of a layer with these sizes.
  static AttentionCall of(const AttentionShape& shape, View<const T> q, View<const T> k, View<const T> v,
                          const Mask& mask, std::size_t first_query = 0, const Dropout& dropout = {}) {
    return {q, k, v, shape.n_head, shape.n_kv_head, shape.scale(), mask, first_query, dropout};
  }

  std::size_t key_dim() const { return q.cols / n_head; }       // K: numbers of a query or a key in a head
  std::size_t value_dim() const { return v.cols / n_kv_head; }  // D: numbers of a value in a head

  /// The key and value head that query head h reads, and whether no query head before it does.
  std::size_t kv_head(std::size_t h) const { return h * n_kv_head / n_head; }
  bool is_first_of_group(std::size_t h) const { return h * n_kv_head % n_head == 0; }

  AttentionHead<T> head(std::size_t h) const { return head(h, key_dim(), value_dim()); }

  /// The same for a kernel that knows K and D.
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

  /// The gradients of head h. dk and dv are shared by the heads of a group.
  AttentionGradients<T> head(const AttentionGradients<T>& all, std::size_t h, std::size_t K, std::size_t D) const {
    const std::size_t g = kv_head(h);
    return {all.dq.slice_cols(h * K, K), all.dk.slice_cols(g * K, K), all.dv.slice_cols(g * D, D)};
  }
};

}  // namespace microgpt
