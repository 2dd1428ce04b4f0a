// The way back through each layer of a GPT, for all rows of a batch at once. Attention, the longest, is in main.cpp.
//
// A d before a name: how fast the loss changes with it. Each function gets dy, from the layer behind, and returns dx.
// Shapes: N rows, C numbers in a row. Parameters w are (n_out,n_in), and keep their own gradient.
#pragma once

#include "base/parameters.h"
#include "base/tokenizer.h"
#include "lesson/array.h"

namespace microgpt {

/// Queries, keys and values, (N,C) each; or their gradients.
struct Qkv {
  Array q, k, v;
};

// forward: y[n][i] = sum over j of x[n][j] * w[i][j]
/// Adds to w's gradient, and returns dx (N,n_in).
inline Array linear_backward(const Parameter& w, const Array& x, const Array& dy) {
  Array dx(x.rows, x.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    for (std::size_t i = 0; i < w.rows; i++) {
      for (std::size_t j = 0; j < w.cols; j++) {
        w.grad_row(i)[j] += dy[n][i] * x[n][j];
        dx[n][j] += dy[n][i] * w.row(i)[j];
      }
    }
  }
  return dx;
}

// forward: x[n] = w[index[n]] + ...
/// A row of w that comes twice gets both gradients.
inline void embedding_backward(const Parameter& w, std::span<const std::size_t> index, const Array& dx) {
  for (std::size_t n = 0; n < dx.rows; n++) {
    for (std::size_t c = 0; c < dx.cols; c++) w.grad_row(index[n])[c] += dx[n][c];
  }
}

// forward: y = max(0, x)
inline Array relu_backward(const Array& x, Array dy) {
  for (std::size_t i = 0; i < x.data.size(); i++) dy.data[i] = x.data[i] > 0 ? dy.data[i] : 0;
  return dy;
}

// forward: y[n][c] = x[n][c] * scale, scale = (mean of x[n]^2 + 1e-5)^-0.5
/// x[n][c] has two paths to the loss: through its own y[n][c], and through the scale, which is in all of row n.
inline Array rmsnorm_backward(const Array& x, const Array& dy) {
  const auto C = static_cast<double>(x.cols);
  Array dx(x.rows, x.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    double squares = 0, dscale = 0;
    for (std::size_t c = 0; c < x.cols; c++) squares += x[n][c] * x[n][c];
    for (std::size_t c = 0; c < x.cols; c++) dscale += dy[n][c] * x[n][c];
    const double scale = 1 / std::sqrt(squares / C + 1e-5);
    const double dmean = dscale * -0.5 * scale * scale * scale;
    for (std::size_t c = 0; c < x.cols; c++) dx[n][c] = dy[n][c] * scale + dmean * 2 * x[n][c] / C;
  }
  return dx;
}

// forward: weights = softmax(scores)
inline std::vector<double> softmax_backward(const std::vector<double>& weights, const std::vector<double>& dweights) {
  double mean = 0;
  for (std::size_t s = 0; s < weights.size(); s++) mean += weights[s] * dweights[s];
  std::vector<double> dscores(weights.size());
  for (std::size_t s = 0; s < weights.size(); s++) dscores[s] = weights[s] * (dweights[s] - mean);
  return dscores;
}

// forward: loss = sum over n of row_weights[n] * -log(probs[n][target of n]), where probs[n] = softmax(logits[n])
/// Returns dlogits (N,V): the probability, minus 1 at the target, as much as row n counts.
inline Array cross_entropy_backward(Array probs, std::span<const Token> targets, std::span<const double> row_weights) {
  for (std::size_t n = 0; n < probs.rows; n++) {
    probs[n][targets[n]] -= 1;
    for (std::size_t i = 0; i < probs.cols; i++) probs[n][i] *= row_weights[n];
  }
  return probs;
}

}  // namespace microgpt
