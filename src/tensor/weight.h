// A matrix of parameters, as training needs it.
#pragma once

#include <cstddef>

#include "tensor/tensor.h"
#include "tensor/threads.h"
#include "tensor/transpose.h"

namespace microgpt {

/// Shape (n_out,n_in): row i makes output i of a linear layer, or is the embedding of token i.
template <class T>
struct Weight {
  Weight(std::size_t n_out, std::size_t n_in) : data(n_out, n_in), grad(n_out, n_in), transposed(n_in, n_out) {}

  Tensor<T> data;
  Tensor<T> grad;
  Tensor<T> transposed;  // (n_in,n_out) data again, as the forward reads it

  /// Brings `transposed` up to date after some rows of data have changed.
  void transpose_rows(Share rows) {
    transpose(transposed.view().slice_cols(rows.first, rows.n), data.view().slice_rows(rows.first, rows.n));
  }
};

}  // namespace microgpt
