// Attention without the (T,T) matrix of weights: for each block of 64 queries it walks along the keys, 64 at a time,
// and keeps for each query only the largest score so far and the sum of the weights (an online softmax). The backward
// computes the weights again. Memory grows with T, not with its square. The online softmax is from Milakov and
// Gimelshein (2018), the blocks and the backward from Dao et al., "FlashAttention" (2022).
//
// What a sparse mask hides is left out:
// - Blocks of keys in which none of 64 queries sees a dense key cost nothing: Mask::next_block passes over them.
// - Where a block is cut by the diagonal or the end of a window, about the half that is seen is multiplied.
// - Scattered keys, of strides and random ones, cost what each of them takes, alone. That is several times what a pair
//   takes in a block, where 64 queries share a key; `microgpt bench --what attention` shows both.
// What is not left out are masked keys between dense ones that are seen, in the same block: the gaps of strides up to
// 4, and holes in a table. They are multiplied, and their weights become zeros.
#pragma once

#include "tensor/attention_call.h"

namespace microgpt {

/// Kernels::attention_forward, in blocks.
template <class T>
void flash_forward(View<T> out, View<T> log_sum, const AttentionCall<T>& call);

/// Kernels::attention_backward, in blocks.
template <class T>
void flash_backward(const AttentionGradients<T>& gradients, View<const T> dout, View<const T> out,
                    View<const T> log_sum, const AttentionCall<T>& call);

}  // namespace microgpt
