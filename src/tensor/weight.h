// A matrix of parameters with what training needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"
#include "tensor/threads.h"

namespace microgpt {

enum class Use : std::uint8_t {
  linear,     // row i computes output i of a linear layer
  embedding,  // row i is the embedding of token or position i
};

/// Shape (n_out,n_in).
template <class T>
struct Weight {
  Weight(std::size_t n_out, std::size_t n_in, Use use = Use::linear)
      : data(n_out, n_in), grad(n_out, n_in), transposed(use == Use::linear ? n_in : 0, n_out) {}

  Tensor<T> data;
  Tensor<T> grad;
  Tensor<T> transposed;  // (n_in,n_out): a copy that a linear layer's forward reads; an embedding has none

  /// Updates `transposed` after some rows of data have changed.
  void transpose_rows(Share rows) {
    if (transposed.view().rows == 0) return;
    transpose(transposed.view().slice_cols(rows.first, rows.n), rows.of(data));
  }
};

/// Rows of every weight: share i of so many.
struct WeightRows {
  std::size_t i;
  std::size_t shares;
  bool adds = false;  // their gradient is added to what it is already: the sum over earlier positions

  Share of(std::size_t rows) const { return share(rows, i, shares); }
};

}  // namespace microgpt
