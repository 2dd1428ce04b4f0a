// Attention for documents of up to 16 positions: names, mostly. A key's scores for all queries fit into one or two
// vectors, so the processor works on all queries at once. The result is the same as in flash.h.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/attention_call.h"
#include "tensor/lanes.h"

namespace microgpt {

/// The maximum number of positions for these kernels: two vectors, or one of doubles, which only tests and lessons use.
template <class T>
inline constexpr std::size_t longest_short = sizeof(T) == 4 ? std::min<std::size_t>(16, 2 * lanes<T>) : lanes<T>;

/// Whether these kernels can be used: as many keys as queries, not too many, and no dropout.
template <class T>
bool is_short(const AttentionCall<T>& call) {
  return call.q.rows == call.k.rows && call.q.rows <= longest_short<T> && !call.dropout.drops();
}

/// Kernels::attention_forward, if is_short(call).
template <class T>
void short_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call);

/// Kernels::attention_backward, if is_short(call).
template <class T>
void short_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                    const View<const T>& log_sum, const AttentionCall<T>& call);

}  // namespace microgpt
