// gpt_forward and gpt_backward: gpt() of src/microgpt.cpp for a batch of documents at once. Read the two side by side:
// the lines come in the same order.
//
// A step has two halves. In the first, positions are independent, except in attention, which stays within a document;
// so each thread takes some documents through forward and backward. In the second, weights are independent; so each
// thread takes some rows of every matrix and sums their gradient over all positions. Threads wait for each other only
// twice per step, and every number is written by one thread.
#pragma once

#include <cstddef>
#include <limits>
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
  /// `parameters` must have gpt_shapes(config); they are copied. `max_length` is the longest document, in positions,
  /// that this model will meet, if that is shorter than block_size: masks and caches take memory for that many.
  TensorModel(const Config& config, const Parameters& parameters,
              std::size_t max_length = std::numeric_limits<std::size_t>::max());

  /// Copies the weights, or their gradients, to `parameters`.
  void copy_to(Parameters& parameters);
  void copy_grad_to(Parameters& parameters);

  struct Layer {
    explicit Layer(const Config& config);

    AttentionLayer<T> attention;
    Weight<T> mlp_fc1;  // (4C,C)
    Weight<T> mlp_fc2;  // (C,4C)
  };

  const Mask& mask(std::size_t layer) const { return masks[layer % masks.size()]; }

  /// All weights, in the order of the store.
  std::vector<Weight<T>*> weights();

  Config config;
  std::size_t length;       // the longest document, in positions; at most block_size
  std::vector<Mask> masks;  // one for all layers, or one for each
  Weight<T> wte;            // (V,C)
  Weight<T> wpe;            // (T,C), or no rows with RoPE
  Weight<T> lm_head;        // (V,C)
  std::vector<Layer> layers;
};

/// What the forward keeps for the backward, and the backward for the gradients of the weights.
template <class T>
struct Activations {
  /// Makes room for N positions.
  void resize(const TensorModel<T>& model, std::size_t N);

  struct Layer {
    Tensor<T> scale1;   // (1,N) the factors of rmsnorm
    Tensor<T> x_norm1;  // (N,C)
    AttentionActivations<T> attention;
    Tensor<T> x_mid;    // (N,C) the residual stream after attention
    Tensor<T> scale2;   // (1,N)
    Tensor<T> x_norm2;  // (N,C)
    Tensor<T> hidden;   // (N,4C) before the activation
    Tensor<T> active;   // (N,4C) after it
    Tensor<T> x_out;    // (N,C) the residual stream after the MLP

    Tensor<T> dx_out, dhidden, dx_mid;  // the gradients of these

    // Only with dropout, which acts on a branch before it joins the residual stream: (N,C). Without dropout each branch
    // is added to the stream directly, and dx_mid and dx_out serve as dattn_out and dmlp_out.
    Tensor<T> attn_out, mlp_out, dattn_out, dmlp_out;
  };

  /// Drops attention weights, and numbers of attn_out and mlp_out before they join the residual stream. Off, unless
  /// training sets it for its step.
  Dropout dropout = {};

  /// Heads whose output is replaced, by layer; empty if no layer has one. gpt_backward does not know of them.
  std::vector<std::vector<FixedHead<T>>> fixed_heads = {};

  Tensor<T> embedded;  // (N,C)
  Tensor<T> scale0;    // (1,N)
  Tensor<T> x;         // (N,C) the residual stream before the first layer
  std::vector<Layer> layers;
  Tensor<T> logits;  // (N,V) from the last layer's x_out
  Tensor<T> probs;   // (N,V) softmax of the logits; the backward overwrites it with dlogits
  Tensor<T> losses;  // (1,N)

  Tensor<T> dx, dembedded;  // the gradients of these
  Tensor<T> dx_norm;        // scratch
};

/// Computes the logits and losses of some documents of the batch.
template <class T>
void gpt_forward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                 Activations<T>& activations);

/// What it computes for a single document, BOS ... BOS.
template <class T>
Activations<T> gpt_forward(const TensorModel<T>& model, const Kernels<T>& kernels, std::span<const Token> document);

/// Computes the gradients of everything gpt_forward computed for these documents. dlosses (N) is given.
template <class T>
void gpt_backward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                  const T* dlosses, Activations<T>& activations);

/// Both, on several threads, for part `part` of `parts` of the batch: each process takes one. dlosses (N) is given.
template <class T>
void gpt_forward_backward(const TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, std::size_t part,
                          std::size_t parts, const T* dlosses, Activations<T>& activations, std::size_t threads);

/// Computes some rows of every parameter's gradient, from these documents. Call it after their gpt_backward.
template <class T>
void gpt_backward_weights(TensorModel<T>& model, const Kernels<T>& kernels, const Batch& batch, Share documents,
                          const Activations<T>& activations, const WeightRows& which);

}  // namespace microgpt
