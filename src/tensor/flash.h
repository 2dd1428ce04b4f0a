// Attention without the (T,T) matrix of weights: for each block of 64 queries it walks along the keys, 64 at a time,
// and keeps for each query only the largest score so far and the sum of the weights (an online softmax). The backward
// computes the weights again. Memory grows with T, not with its square. The online softmax is from Milakov and
// Gimelshein (2018), the blocks and the backward from Dao et al., "FlashAttention" (2022).
#pragma once

#include <cstddef>

#include "tensor/kernels.h"

namespace microgpt {

/// Kernels::attention_forward, in blocks.
template <class T>
void flash_forward(View<T> out, View<T> log_sum, View<const T> q, View<const T> k, View<const T> v, const Heads& heads,
                   const Mask& mask, std::size_t first_query);

/// Kernels::attention_backward, in blocks.
template <class T>
void flash_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, View<const T> out, View<const T> log_sum,
                    View<const T> q, View<const T> k, View<const T> v, const Heads& heads, const Mask& mask,
                    std::size_t first_query);

}  // namespace microgpt
