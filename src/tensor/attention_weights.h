// Where each query looks. The kernels keep no weights: the naive ones forget them, the fast ones never have them all at
// once. These functions compute them for people who look, and are what the naive kernels are made of.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"
#include "tensor/view.h"

namespace microgpt {

/// The attention weights of one document, (H,n,m): row h * n + t of the result is how query t shares its attention
/// among the m keys in head h. Such a row sums to 1; it is all zeros if the query sees no key. The arguments are those
/// of Kernels::attention_forward.
template <class T>
Tensor<T> attention_weights(View<const T> q, std::type_identity_t<View<const T>> k, const Heads& heads,
                            const Mask& mask, std::size_t first_query);

/// weights (n,m) of head h alone, and log_sum (n), the logarithm of each softmax's denominator.
template <class T>
void head_weights(View<T> weights, T* log_sum, std::type_identity_t<View<const T>> q,
                  std::type_identity_t<View<const T>> k, const Heads& heads, const Mask& mask, std::size_t first_query,
                  std::size_t h);

}  // namespace microgpt
