// gpt_forward and gpt_backward: scalar/gpt.h for a batch of documents at once. Read the two side by side; the lines
// follow one another in the same order.
//
// A step has two halves. In the first, positions are independent, but for attention, which stays within a document: a
// thread takes some documents through forward and backward. In the second, weights are independent: a thread takes some
// rows of every matrix and sums their gradient over all positions. So threads meet twice a step, and every number has
// one owner.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "tensor/attention_layer.h"
#include "tensor/batch.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"
#include "tensor/weight.h"

namespace microgpt {

/// The parameters of a GPT as the tensor path uses them, and their gradients.
template <class T>
struct TensorModel {
  /// `parameters` must have gpt_shapes(config); they are copied.
  TensorModel(const Config& config, const Parameters& parameters);

  /// Writes the numbers, or their gradients, back.
  void copy_to(Parameters& parameters);
  void copy_grad_to(Parameters& parameters);

  struct Layer {
    explicit Layer(const Config& config);

    SelfAttention<T> attention;
    Weight<T> mlp_fc1;  // (4C,C)
    Weight<T> mlp_fc2;  // (C,4C)
  };

  /// All of them, in the order of the store.
  std::vector<Weight<T>*> weights();

  Config config;
  Mask mask;
  Weight<T> wte;      // (V,C)
  Weight<T> wpe;      // (T,C), or no rows if positions are told by rotation
  Weight<T> lm_head;  // (V,C)
  std::vector<Layer> layers;
};

/// What the forward leaves for the backward, and the backward for the gradients of the weights.
template <class T>
struct Activations {
  /// Makes room for N positions.
  void resize(const TensorModel<T>& model, std::size_t N);

  struct Layer {
    Tensor<T> scale1;   // (1,N) of rmsnorm
    Tensor<T> x_norm1;  // (N,C)
    typename SelfAttention<T>::Activations attention;
    Tensor<T> x_mid;    // (N,C) the residual stream after attention
    Tensor<T> scale2;   // (1,N)
    Tensor<T> x_norm2;  // (N,C)
    Tensor<T> hidden;   // (N,4C) before the activation
    Tensor<T> active;   // (N,4C) after it
    Tensor<T> x_out;    // (N,C) the residual stream after the MLP

    Tensor<T> dx_out, dhidden, dx_mid;  // the gradients of these

    // With dropout, which comes between a branch and the residual stream: (N,C). Without it, each branch is added to
    // the stream as it is computed, and dattn_out and dmlp_out are dx_mid and dx_out.
    Tensor<T> attn_out, mlp_out, dattn_out, dmlp_out;
  };

  /// What is dropped of the weights of attention, and of attn_out and mlp_out before they join the residual stream.
  /// Nothing, unless a training sets it for its step.
  Dropout dropout = {};

  Tensor<T> embedded;  // (N,C)
  Tensor<T> scale0;    // (1,N)
  Tensor<T> x;         // (N,C) the residual stream before the first layer
  std::vector<Layer> layers;
  Tensor<T> logits;  // (N,V) of the last layer's x_out
  Tensor<T> probs;   // (N,V) softmax of the logits; the backward makes their gradient of it, in its place
  Tensor<T> losses;  // (1,N)

  Tensor<T> dx, dembedded;  // the gradients of these
  Tensor<T> dx_norm;        // in passing
};

/// The logits and losses of some documents of the batch.
template <class T>
void gpt_forward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                 Activations<T>& activations);

/// The gradient of all that gpt_forward computed for these documents; that of losses is given, dlosses (N).
template <class T>
void gpt_backward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                  const T* dlosses, Activations<T>& activations);

/// The gradient of the parameters, after gpt_backward of all documents: of the i-th share of the rows of every matrix.
template <class T>
void gpt_backward_weights(TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch,
                          const Activations<T>& activations, std::size_t i, std::size_t shares);

}  // namespace microgpt
