// The layers of a GPT on matrices: what src/microgpt.cpp does to a list of Values, done to N positions at once, forward
// and backward. Each is written twice. naive() is the specification: plain loops, easy to read and to step through. fast()
// uses vector instructions; training uses it. Tests compare the two, and the bench times them side by side.
//
// Letters: N positions (rows), C width, V vocab_size, D head_dim. dx is the gradient of the loss with respect to x. No
// kernel starts threads: each computes the rows it is given, and the caller divides the work.
#pragma once

#include <cstddef>
#include <span>

#include "base/activation.h"
#include "base/tokenizer.h"
#include "tensor/attention_call.h"
#include "tensor/tensor.h"
#include "tensor/view.h"
#include "tensor/weight.h"

namespace microgpt {

struct AdamStep {
  double learning_rate;
  double beta1;
  double beta2;
  double eps;
  double m_correction;  // 1 - beta1^step, where steps count from 1
  double v_correction;  // 1 - beta2^step
  double keep;          // what remains of a weight before the step: 1 - learning_rate * weight_decay
};

template <class T>
struct Kernels {
  const char* name;

  /// x (N,C): x[n] = wte[token[n]] + wpe[position[n]]; without wpe if that has no rows.
  void (*embedding_forward)(const View<T>& x, std::span<const Token> tokens, std::span<const std::size_t> positions,
                            const View<const T>& wte, const View<const T>& wpe);

  /// dw (rows,C): the gradient of an embedding's rows from `first` on. dw[index[n] - first] += dx[n] for every n whose
  /// index is one of these rows.
  void (*embedding_backward)(const View<T>& dw, std::size_t first, const View<const T>& dx,
                             std::span<const std::size_t> indices);

  // `before` is added to the result in the same pass: it is the residual stream, or a gradient so far. It has the shape
  // of the result, and may be the result itself. If it has no rows, nothing is added.

  /// y (N,n_out) = before + x W^T: y[n][i] is the dot product of x[n] and row i of W.
  void (*linear_forward)(const View<T>& y, const View<const T>& x, const Weight<T>& w, const View<const T>& before);

  /// dx (N,n_in) = before + dy W.
  void (*linear_backward_input)(const View<T>& dx, const View<const T>& dy, const Weight<T>& w,
                                const View<const T>& before);

  /// Rows of dW = before + dy^T x from `first` on: dW[i][j] is the sum over positions of dy[n][i] * x[n][j]. A sum that
  /// goes on from `before` has the bits of one over all positions.
  void (*linear_backward_weight)(const View<T>& dw, std::size_t first, const View<const T>& dy, const View<const T>& x,
                                 const View<const T>& before);

  /// y = x * scale[n], where scale[n] = (mean of x[n]^2 + 1e-5)^-0.5. All (N,C); scale is (N).
  void (*rmsnorm_forward)(const View<T>& y, T* scale, const View<const T>& x);

  /// dx = before + dy * scale - x * scale^3 * (mean of dy * x).
  void (*rmsnorm_backward)(const View<T>& dx, const View<const T>& dy, const View<const T>& x, const T* scale,
                           const View<const T>& before);

  /// y = a + b; its backward is dy for both, unchanged.
  void (*add_forward)(const View<T>& y, const View<const T>& a, const View<const T>& b);

  /// y = activation(x), number by number.
  void (*activation_forward)(const View<T>& y, const View<const T>& x, Activation activation);

  /// dx = dy * the activation's slope at x. dx may be dy.
  void (*activation_backward)(const View<T>& dx, const View<const T>& dy, const View<const T>& x,
                              Activation activation);

  /// Multi-head attention of one document: out (n,H*D). For each head: scores = scale * q k^T (n,m), weights = softmax
  /// of each row over the keys that the mask lets it see, out = weights v, after dropout. log_sum is (H,n): the
  /// logarithm of a softmax's denominator, log sum exp(score), for the backward. A query that sees no key gets zeros.
  void (*attention_forward)(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call);

  /// From dout (n,H*D), and the forward's out and log_sum: dq, dk, dv. weights = exp(scores - log_sum);
  ///   dv = weights^T dout,  dweights = dout v^T,  dscores = weights * (dweights - sum of weights * dweights),
  ///   dq = scale * dscores k,  dk = scale * dscores^T q
  /// With dropout, dv uses the weights after it, and dweights pass through it too.
  void (*attention_backward)(const AttentionGradients<T>& gradients, const View<const T>& dout,
                             const View<const T>& out, const View<const T>& log_sum, const AttentionCall<T>& call);

  /// probs (N,V): softmax of each row of logits; losses (N): -log probs[n][target[n]], computed from the logits, so it
  /// is finite even if that probability is too small for a T.
  void (*cross_entropy_forward)(T* losses, const View<T>& probs, const View<const T>& logits,
                                std::span<const Token> targets);

  /// dlogits[n] = dlosses[n] * (probs[n] - one at the target). dlosses is (N). dlogits may be probs.
  void (*cross_entropy_backward)(const View<T>& dlogits, const T* dlosses, const View<const T>& probs,
                                 std::span<const Token> targets);

  /// Moves n parameters against their gradients. m and v are Adam's running means of the gradient and of its square.
  void (*adam_update)(T* data, const T* grad, T* m, T* v, std::size_t n, const AdamStep& step);
};

/// For T = float and double.
template <class T>
const Kernels<T>& naive();

template <class T>
const Kernels<T>& fast();

/// The gradient of some rows of w, for y = x W^T.
template <class T>
void weight_gradient(const Kernels<T>& kernels, Weight<T>& w, const View<const T>& dy, const View<const T>& x,
                     const WeightRows& which) {
  const Share rows = which.of(w.grad.view().rows);
  const View<T> dw = rows.of(w.grad);
  kernels.linear_backward_weight(dw, rows.first, dy, x, which.adds ? View<const T>(dw) : View<const T>{});
}

/// Where each query of a document looks, (H,n,m): row h * n + t holds the weights of the m keys for query t in head h.
/// They sum to 1, or are all zeros if the query sees no key. Ignores the call's values and dropout. (The kernels do not
/// keep these weights: the naive ones discard them, the fast ones never have all of them at once.)
template <class T>
Tensor<T> attention_weights(const AttentionCall<T>& call);

}  // namespace microgpt
