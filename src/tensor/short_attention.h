// Attention of documents of up to 16 positions: names, mostly. The scores that a key gets from all queries are one
// vector or two, and for each length there is a version of the code in which all loops are unrolled. So the processor
// works on all queries at once. What is computed is the same as in flash.h.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/attention_call.h"
#include "tensor/lanes.h"

namespace microgpt {

/// The most positions that these kernels take. (Doubles, which are for tests, fill one vector: each further version of
/// the code takes a second to compile.)
template <class T>
inline constexpr std::size_t longest_short = sizeof(T) == 4 ? std::min<std::size_t>(16, 2 * lanes<T>) : lanes<T>;

/// Whether these kernels can be used: as many keys as queries, not too many, and no dropout.
template <class T>
bool is_short(const AttentionCall<T>& call) {
  return call.q.rows == call.k.rows && call.q.rows <= longest_short<T> && !call.dropout.drops();
}

/// Kernels::attention_forward, if is_short(call).
template <class T>
void short_forward(View<T> out, View<T> log_sum, const AttentionCall<T>& call);

/// Kernels::attention_backward, if is_short(call).
template <class T>
void short_backward(const AttentionGradients<T>& gradients, View<const T> dout, View<const T> out,
                    View<const T> log_sum, const AttentionCall<T>& call);

}  // namespace microgpt
