// The layers of a GPT on all positions of a batch at once, forward and backward, in plain loops. README.md derives
// them.
//
// Letters: N positions (rows), C width, V vocab_size, H heads of D numbers, T most positions of a document.
// dx is the gradient of the loss with respect to x. Weights are Parameters, (n_out, n_in): they hold their own
// gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "tensor/batch.h"

namespace lesson09 {

using microgpt::Batch, microgpt::Config, microgpt::Parameter, microgpt::Token;

/// The mistakes of "Break it": make lesson-10 BREAK=assign, or one-way, or transposed.
inline struct { bool assign, one_way, transposed; } broken;

/// Shape (rows, cols), row after row in one block of memory: x[n][c] is data[n * cols + c].
struct Array {
  Array(std::size_t rows_, std::size_t cols_) : rows(rows_), cols(cols_), data(rows_ * cols_) {}
  double* row(std::size_t n) { return data.data() + n * cols; }
  const double* row(std::size_t n) const { return data.data() + n * cols; }

  std::size_t rows, cols;
  std::vector<double> data;
};

/// x (N,C): x[n] = wte[token n] + wpe[position n].
inline Array embedding_forward(const Batch& batch, const Parameter& wte, const Parameter& wpe) {
  Array x(batch.num_positions(), wte.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    const auto token = wte.row(batch.tokens()[n]), position = wpe.row(batch.positions()[n]);
    for (std::size_t c = 0; c < x.cols; c++) x.row(n)[c] = token[c] + position[c];
  }
  return x;
}

/// A row of w is used by every n whose index it is, and gathers the gradients of all of them.
inline void embedding_backward(const Parameter& w, const Array& dx, std::span<const std::size_t> index) {
  for (std::size_t n = 0; n < dx.rows; n++) {
    for (std::size_t c = 0; c < dx.cols; c++) {
      double& dw = w.grad_row(index[n])[c];
      dw = broken.assign ? dx.row(n)[c] : dw + dx.row(n)[c];
    }
  }
}

/// y (N,n_out) = x w^T: y[n][i] is the dot product of row i of w and x[n].
inline Array linear_forward(const Array& x, const Parameter& w) {
  Array y(x.rows, w.rows);
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < w.rows; i++) {
      for (std::size_t j = 0; j < w.cols; j++) y.row(n)[i] += w.row(i)[j] * x.row(n)[j];
    }
  }
  return y;
}

/// dx (N,n_in) = dy w. Row n needs row n of dy and all of w.
inline Array linear_backward_input(const Array& dy, const Parameter& w) {
  Array dx(dy.rows, w.cols);
  for (std::size_t n = 0; n < dx.rows; n++) {
    for (std::size_t i = 0; i < w.rows; i++) {
      for (std::size_t j = 0; j < w.cols; j++) dx.row(n)[j] += dy.row(n)[i] * w.row(i)[j];
    }
  }
  return dx;
}

/// dw (n_out,n_in) += dy^T x. Row i needs column i of dy and all of x.
inline void linear_backward_weight(const Parameter& w, const Array& dy, const Array& x) {
  const bool wrong = broken.transposed && w.rows == w.cols;
  for (std::size_t i = 0; i < w.rows; i++) {
    for (std::size_t j = 0; j < w.cols; j++) {
      double& dw = wrong ? w.grad_row(j)[i] : w.grad_row(i)[j];
      for (std::size_t n = 0; n < dy.rows; n++) dw += dy.row(n)[i] * x.row(n)[j];
    }
  }
}

/// scale of x[n]: (mean of x[n]^2 + 1e-5)^-0.5.
inline double scale_of(const Array& x, std::size_t n) {
  double squares = 0;
  for (std::size_t c = 0; c < x.cols; c++) squares += x.row(n)[c] * x.row(n)[c];
  return 1 / std::sqrt(squares / static_cast<double>(x.cols) + 1e-5);
}

/// y[n] = x[n] * scale.
inline Array rmsnorm_forward(const Array& x) {
  Array y(x.rows, x.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    const double scale = scale_of(x, n);
    for (std::size_t c = 0; c < x.cols; c++) y.row(n)[c] = x.row(n)[c] * scale;
  }
  return y;
}

/// x[n][c] acts in two ways: on its own y[n][c], and through the scale on the whole row.
inline Array rmsnorm_backward(const Array& dy, const Array& x) {
  Array dx(x.rows, x.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    const double scale = scale_of(x, n);
    double dscale = 0;
    for (std::size_t c = 0; c < x.cols; c++) dscale += dy.row(n)[c] * x.row(n)[c];
    const double dmean = broken.one_way ? 0 : dscale * -0.5 * scale * scale * scale;
    for (std::size_t c = 0; c < x.cols; c++) {
      dx.row(n)[c] = dy.row(n)[c] * scale + dmean * 2 * x.row(n)[c] / static_cast<double>(x.cols);
    }
  }
  return dx;
}

inline Array relu_forward(const Array& x) {
  Array y(x.rows, x.cols);
  for (std::size_t i = 0; i < x.data.size(); i++) y.data[i] = x.data[i] > 0 ? x.data[i] : 0;
  return y;
}

inline Array relu_backward(const Array& dy, const Array& x) {
  Array dx(x.rows, x.cols);
  for (std::size_t i = 0; i < x.data.size(); i++) dx.data[i] = x.data[i] > 0 ? dy.data[i] : 0;
  return dx;
}

/// a + b. Its backward needs no code: dy goes to both, unchanged.
inline Array add(const Array& a, const Array& b) {
  Array y(a.rows, a.cols);
  for (std::size_t i = 0; i < y.data.size(); i++) y.data[i] = a.data[i] + b.data[i];
  return y;
}

/// x becomes softmax(x), n numbers.
inline void softmax_forward(double* x, std::size_t n) {
  const double most = *std::max_element(x, x + n);  // taken out, so that exp cannot overflow
  double total = 0;
  for (std::size_t i = 0; i < n; i++) total += x[i] = std::exp(x[i] - most);
  for (std::size_t i = 0; i < n; i++) x[i] /= total;
}

/// dy becomes dx, n numbers, where y = softmax(x). x[i] acts in two ways here, too: on its own y[i], and through the
/// total on all of them.
inline void softmax_backward(double* dy, const double* y, std::size_t n) {
  double dot = 0;
  for (std::size_t i = 0; i < n; i++) dot += y[i] * dy[i];
  for (std::size_t i = 0; i < n; i++) dy[i] = y[i] * (dy[i] - dot);
}

/// losses (N): -log of the probability that softmax(logits[n]) gives the target.
inline std::vector<double> cross_entropy_forward(Array logits, std::span<const Token> targets) {
  std::vector<double> losses;
  for (std::size_t n = 0; n < logits.rows; n++) {
    softmax_forward(logits.row(n), logits.cols);
    losses.push_back(-std::log(logits.row(n)[targets[n]]));
  }
  return losses;
}

/// dlogits (N,V) = dloss * (softmax(logits[n]) - 1 at the target).
inline Array cross_entropy_backward(std::span<const double> dlosses, Array logits, std::span<const Token> targets) {
  for (std::size_t n = 0; n < logits.rows; n++) {
    softmax_forward(logits.row(n), logits.cols);
    logits.row(n)[targets[n]] -= 1;
    for (std::size_t i = 0; i < logits.cols; i++) logits.row(n)[i] *= dlosses[n];
  }
  return logits;
}

// --- Attention -------------------------------------------------------------------------------------------------------

struct Attention {
  Array out;      // (N,C)
  Array weights;  // (N,H*T): row t of a document, head h, looks at its position s with [h * T + s]
};

/// A document looks at its own rows only. For each head and each row t of it: scores = q[t] k[s] / sqrt(D) for the rows
/// s up to t, weights = softmax(scores), out[t] = the sum of weights[s] * v[s].
inline Attention attention_forward(const Batch& batch, const Config& config, const Array& q, const Array& k,
                                   const Array& v) {
  const std::size_t H = config.n_head, D = config.head_dim(), T = config.block_size;
  Attention a{{q.rows, q.cols}, {q.rows, H * T}};
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    for (std::size_t t = first; t < first + n; t++) {
      for (std::size_t h = 0; h < H; h++) {
        double* const weights = a.weights.row(t) + h * T;
        for (std::size_t s = first; s <= t; s++) {
          double score = 0;
          for (std::size_t j = h * D; j < h * D + D; j++) score += q.row(t)[j] * k.row(s)[j];
          weights[s - first] = score / std::sqrt(D);
        }
        softmax_forward(weights, t - first + 1);
        for (std::size_t s = first; s <= t; s++) {
          for (std::size_t j = h * D; j < h * D + D; j++) a.out.row(t)[j] += weights[s - first] * v.row(s)[j];
        }
      }
    }
  }
  return a;
}

struct AttentionGradients {
  Array dq, dk, dv;  // (N,C)
};

/// From out back to the values and weights, through softmax, and from the scores to the queries and keys.
inline AttentionGradients attention_backward(const Array& dout, const Batch& batch, const Config& config,
                                             const Array& q, const Array& k, const Array& v, const Array& weights) {
  const std::size_t H = config.n_head, D = config.head_dim(), T = config.block_size;
  AttentionGradients d{{q.rows, q.cols}, {q.rows, q.cols}, {q.rows, q.cols}};
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    for (std::size_t t = first; t < first + n; t++) {
      for (std::size_t h = 0; h < H; h++) {
        const double* const weight = weights.row(t) + h * T;
        std::vector<double> dweights(t - first + 1);
        for (std::size_t s = first; s <= t; s++) {
          for (std::size_t j = h * D; j < h * D + D; j++) {
            dweights[s - first] += dout.row(t)[j] * v.row(s)[j];
            d.dv.row(s)[j] += weight[s - first] * dout.row(t)[j];
          }
        }
        std::vector<double>& dscores = dweights;
        softmax_backward(dscores.data(), weight, dscores.size());
        for (std::size_t s = first; s <= t; s++) {
          for (std::size_t j = h * D; j < h * D + D; j++) {
            d.dq.row(t)[j] += dscores[s - first] / std::sqrt(D) * k.row(s)[j];
            d.dk.row(s)[j] += dscores[s - first] / std::sqrt(D) * q.row(t)[j];
          }
        }
      }
    }
  }
  return d;
}

}  // namespace lesson09
