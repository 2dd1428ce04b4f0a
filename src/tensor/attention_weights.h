// Where each query looks. The kernels do not keep attention weights: the naive ones discard them, the fast ones never
// have all of them at once. So they are computed for inspection; tensor/naive.cpp, which computes them anyway, does it.
#pragma once

#include "tensor/attention_call.h"
#include "tensor/tensor.h"
#include "tensor/view.h"

namespace microgpt {

/// The attention weights of one document, (H,n,m): row h * n + t holds the weights of the m keys for query t in head h.
/// Each row sums to 1, or is all zeros if the query sees no key. Ignores the call's values and dropout.
template <class T>
Tensor<T> attention_weights(const AttentionCall<T>& call);

}  // namespace microgpt
