// Attention of a single query, the last position of a document: what a token costs when the model generates. A head has
// few numbers, so one vector holds the same numbers of several heads, and the processor works on all of them at once.
#pragma once

#include "tensor/attention_call.h"

namespace microgpt {

/// Whether this kernel can be used: one query, which sees every key; at most Mask::block keys; a key and value head for
/// each query head; heads that share vectors or fill one; no dropout.
template <class T>
bool is_one_query(const AttentionCall<T>& call);

/// Kernels::attention_forward, if is_one_query(call).
template <class T>
void one_query_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call);

}  // namespace microgpt
