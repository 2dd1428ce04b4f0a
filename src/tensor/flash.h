// Attention without the (T,T) matrix of weights. For each block of 64 queries it walks along the keys, 64 at a time,
// and keeps for each query only the largest score so far and the sum of the weights (an online softmax). The backward
// computes the weights again. Memory grows with T, not with T^2. The online softmax is from Milakov and Gimelshein
// (2018), the blocks and the backward from Dao et al., "FlashAttention" (2022).
//
// Most work on hidden keys is skipped:
// - If none of the 64 queries sees a key in a block of keys, Mask::next_block skips the block at no cost.
// - If the diagonal or the end of a window cuts a block, only about the visible half is multiplied.
// Not skipped are hidden keys between visible ones of the same block, and what lies before the window of a pattern with
// strides, or of one with random keys: they are multiplied, and their weights become zero.
#pragma once

#include "tensor/attention_call.h"

namespace microgpt {

/// Kernels::attention_forward, in blocks.
template <class T>
void flash_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call);

/// Kernels::attention_backward, in blocks.
template <class T>
void flash_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                    const View<const T>& log_sum, const AttentionCall<T>& call);

}  // namespace microgpt
