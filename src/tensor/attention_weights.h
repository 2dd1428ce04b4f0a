// Where each query looks. The kernels keep no weights: the naive ones forget them, the fast ones never have them all at
// once. These functions compute them for people who look, and are what the naive kernels are made of.
#pragma once

#include "tensor/attention_call.h"
#include "tensor/tensor.h"
#include "tensor/view.h"

namespace microgpt {

/// The attention weights of one document, (H,n,m): row h * n + t of the result is how query t shares its attention
/// among the m keys in head h. Such a row sums to 1; it is all zeros if the query sees no key. The call's values and
/// dropout do not matter.
template <class T>
Tensor<T> attention_weights(const AttentionCall<T>& call);

/// weights (n,m) of one head, and log_sum (n), the logarithm of each softmax's denominator.
template <class T>
void head_weights(View<T> weights, T* log_sum, const AttentionHead<T>& head);

}  // namespace microgpt
