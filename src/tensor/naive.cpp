// The specification: every layer in plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/drop.h"
#include "tensor/kernels.h"
#include "tensor/tensor.h"

namespace microgpt {
namespace {

template <class T>
void embedding_forward(const View<T>& x, std::span<const Token> tokens, std::span<const std::size_t> positions,
                       const View<const T>& wte, const View<const T>& wpe) {
  for (std::size_t n = 0; n < x.rows; n++) {
    for (std::size_t c = 0; c < x.cols; c++) {
      x.row(n)[c] = wte.row(tokens[n])[c] + (wpe.rows > 0 ? wpe.row(positions[n])[c] : 0);
    }
  }
}

// forward: x[n] = w[index[n]] + ...
template <class T>
void embedding_backward(const View<T>& dw, std::size_t first, const View<const T>& dx,
                        std::span<const std::size_t> indices) {
  for (std::size_t n = 0; n < dx.rows; n++) {
    if (indices[n] < first || indices[n] >= first + dw.rows) continue;
    for (std::size_t c = 0; c < dx.cols; c++) dw.row(indices[n] - first)[c] += dx.row(n)[c];
  }
}

template <class T>
void linear_forward(const View<T>& y, const View<const T>& x, const Weight<T>& w, const View<const T>& before) {
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      T total = before.rows > 0 ? before.row(n)[i] : 0;
      for (std::size_t j = 0; j < x.cols; j++) total += w.data.view().row(i)[j] * x.row(n)[j];
      y.row(n)[i] = total;
    }
  }
}

// forward: y[n][i] = sum over j of w[i][j] * x[n][j]
template <class T>
void linear_backward_input(const View<T>& dx, const View<const T>& dy, const Weight<T>& w,
                           const View<const T>& before) {
  for (std::size_t n = 0; n < dx.rows; n++) {
    for (std::size_t j = 0; j < dx.cols; j++) {
      T total = before.rows > 0 ? before.row(n)[j] : 0;
      for (std::size_t i = 0; i < dy.cols; i++) total += dy.row(n)[i] * w.data.view().row(i)[j];
      dx.row(n)[j] = total;
    }
  }
}

// forward: y[n][i] = sum over j of w[i][j] * x[n][j]
template <class T>
void linear_backward_weight(const View<T>& dw, std::size_t first, const View<const T>& dy, const View<const T>& x,
                            const View<const T>& before) {
  for (std::size_t i = 0; i < dw.rows; i++) {
    for (std::size_t j = 0; j < dw.cols; j++) {
      T total = before.rows > 0 ? before.row(i)[j] : 0;
      for (std::size_t n = 0; n < dy.rows; n++) total += dy.row(n)[first + i] * x.row(n)[j];
      dw.row(i)[j] = total;
    }
  }
}

template <class T>
void rmsnorm_forward(const View<T>& y, T* scale, const View<const T>& x) {
  for (std::size_t n = 0; n < x.rows; n++) {
    T squares = 0;
    for (std::size_t c = 0; c < x.cols; c++) squares += x.row(n)[c] * x.row(n)[c];
    scale[n] = 1 / std::sqrt(squares / static_cast<T>(x.cols) + static_cast<T>(1e-5));
    for (std::size_t c = 0; c < x.cols; c++) y.row(n)[c] = x.row(n)[c] * scale[n];
  }
}

// forward: y[c] = x[c] * scale, scale = (mean of x^2 + 1e-5)^-0.5
// x[c] acts on y in two ways: through its own product, and through the scale, on all of them.
template <class T>
void rmsnorm_backward(const View<T>& dx, const View<const T>& dy, const View<const T>& x, const T* scale,
                      const View<const T>& before) {
  for (std::size_t n = 0; n < x.rows; n++) {
    T dot = 0;
    for (std::size_t c = 0; c < x.cols; c++) dot += dy.row(n)[c] * x.row(n)[c];
    const T through_scale = dot / static_cast<T>(x.cols) * scale[n] * scale[n] * scale[n];
    for (std::size_t c = 0; c < x.cols; c++) {
      const T so_far = before.rows > 0 ? before.row(n)[c] : 0;
      dx.row(n)[c] = so_far + dy.row(n)[c] * scale[n] - x.row(n)[c] * through_scale;
    }
  }
}

template <class T>
void add_forward(const View<T>& y, const View<const T>& a, const View<const T>& b) {
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t c = 0; c < y.cols; c++) y.row(n)[c] = a.row(n)[c] + b.row(n)[c];
  }
}

template <class T>
void activation_forward(const View<T>& y, const View<const T>& x, Activation activation) {
  with_formulas(activation, [&](auto formulas) {
    for (std::size_t n = 0; n < y.rows; n++) {
      for (std::size_t c = 0; c < y.cols; c++) y.row(n)[c] = formulas.forward(x.row(n)[c]);
    }
  });
}

// forward: y = activation(x)
template <class T>
void activation_backward(const View<T>& dx, const View<const T>& dy, const View<const T>& x, Activation activation) {
  with_formulas(activation, [&](auto formulas) {
    for (std::size_t n = 0; n < dx.rows; n++) {
      for (std::size_t c = 0; c < dx.cols; c++) dx.row(n)[c] = formulas.backward(dy.row(n)[c], x.row(n)[c]);
    }
  });
}

/// Computes weights (n,m) of one head, and log_sum (n), the logarithm of each softmax's denominator.
template <class T>
void head_weights(View<T> weights, T* log_sum, const AttentionHead<T>& head) {
  const auto& [q, k, v, scale, mask, first_query, dropout] = head;
  for (std::size_t t = 0; t < q.rows; t++) {
    T* const row = weights.row(t);
    T max_score = -std::numeric_limits<T>::infinity();
    for (std::size_t s = 0; s < k.rows; s++) {
      T score = 0;
      for (std::size_t j = 0; j < q.cols; j++) score += q.row(t)[j] * k.row(s)[j];
      row[s] = score * scale;
      if (mask.allows(first_query + t, s)) max_score = std::max(max_score, row[s]);
    }
    T total = 0;
    for (std::size_t s = 0; s < k.rows; s++) {
      row[s] = mask.allows(first_query + t, s) ? std::exp(row[s] - max_score) : 0;
      total += row[s];
    }
    for (std::size_t s = 0; s < k.rows && total > 0; s++) row[s] /= total;
    log_sum[t] = max_score + std::log(total);
  }
}

template <class T>
void attention_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t D = call.value_dim();
  Tensor<T> of_head(call.q.rows, call.k.rows);
  const View<T> weights = of_head.view();
  for (std::size_t h = 0; h < call.n_head; h++) {
    const AttentionHead<T> head = call.head(h);
    head_weights(weights, log_sum.row(h), head);
    if (head.dropout.drops()) drop<T>(weights, weights, head.dropout, head.first_query);
    const View<T> out_h = out.slice_cols(h * D, D);
    for (std::size_t t = 0; t < head.q.rows; t++) {
      for (std::size_t j = 0; j < D; j++) {
        T total = 0;
        for (std::size_t s = 0; s < head.k.rows; s++) total += weights.row(t)[s] * head.v.row(s)[j];
        out_h.row(t)[j] = total;
      }
    }
  }
}

// forward: scores = scale * q k^T, weights = softmax(scores), out = weights v
template <class T>
void attention_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>&,
                        const View<const T>&, const AttentionCall<T>& call) {
  const std::size_t K = call.key_dim();
  const std::size_t D = call.value_dim();
  for (const View<T>& gradient : {gradients.dq, gradients.dk, gradients.dv}) set_zero(gradient);
  Tensor<T> of_head(call.q.rows, call.k.rows);
  const View<T> weights = of_head.view();
  std::vector<T> log_sum(call.q.rows);  // computed again, not used
  std::vector<T> dweights(call.k.rows);
  for (std::size_t h = 0; h < call.n_head; h++) {
    const AttentionHead<T> head = call.head(h);
    const auto [dq, dk, dv] = call.head(gradients, h, K, D);
    head_weights(weights, log_sum.data(), head);
    for (std::size_t t = 0; t < head.q.rows; t++) {
      const T* const weight = weights.row(t);
      const T* const dout_t = dout.row(t) + h * D;
      T mean = 0;  // weighted mean of dweights
      for (std::size_t s = 0; s < head.k.rows; s++) {
        const T factor = head.dropout.template factor<T>(head.first_query + t, s);
        dweights[s] = 0;
        for (std::size_t j = 0; j < D; j++) {
          dweights[s] += dout_t[j] * head.v.row(s)[j] * factor;
          dv.row(s)[j] += weight[s] * factor * dout_t[j];
        }
        mean += weight[s] * dweights[s];
      }
      for (std::size_t s = 0; s < head.k.rows; s++) {
        const T dscore = weight[s] * (dweights[s] - mean) * head.scale;
        for (std::size_t j = 0; j < K; j++) {
          dq.row(t)[j] += dscore * head.k.row(s)[j];
          dk.row(s)[j] += dscore * head.q.row(t)[j];
        }
      }
    }
  }
}

template <class T>
void cross_entropy_forward(T* losses, const View<T>& probs, const View<const T>& logits,
                           std::span<const Token> targets) {
  for (std::size_t n = 0; n < logits.rows; n++) {
    const T* const row = logits.row(n);
    const T largest = *std::max_element(row, row + logits.cols);  // subtracted, so that exp cannot overflow
    T total = 0;
    for (std::size_t i = 0; i < logits.cols; i++) total += probs.row(n)[i] = std::exp(row[i] - largest);
    for (std::size_t i = 0; i < logits.cols; i++) probs.row(n)[i] /= total;
    losses[n] = std::log(total) - (row[targets[n]] - largest);  // not -log(probability), which may be -log 0
  }
}

// forward: loss[n] = log sum exp(logits[n]) - logits[n][target[n]]
template <class T>
void cross_entropy_backward(const View<T>& dlogits, const T* dlosses, const View<const T>& probs,
                            std::span<const Token> targets) {
  for (std::size_t n = 0; n < probs.rows; n++) {
    for (std::size_t i = 0; i < probs.cols; i++) {
      dlogits.row(n)[i] = dlosses[n] * (probs.row(n)[i] - static_cast<T>(i == targets[n]));
    }
  }
}

template <class T>
void adam_update(T* data, const T* grad, T* m, T* v, std::size_t n, const AdamStep& step) {
  const auto beta1 = static_cast<T>(step.beta1);
  const auto beta2 = static_cast<T>(step.beta2);
  for (std::size_t i = 0; i < n; i++) {
    m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
    v[i] = beta2 * v[i] + (1 - beta2) * grad[i] * grad[i];
    const T m_hat = m[i] / static_cast<T>(step.m_correction);
    const T v_hat = v[i] / static_cast<T>(step.v_correction);
    data[i] *= static_cast<T>(step.keep);
    data[i] -= static_cast<T>(step.learning_rate) * m_hat / (std::sqrt(v_hat) + static_cast<T>(step.eps));
  }
}

}  // namespace

template <class T>
Tensor<T> attention_weights(const AttentionCall<T>& call) {
  const std::size_t n = call.q.rows;
  Tensor<T> weights(call.n_head * n, call.k.rows);
  std::vector<T> log_sum(n);  // not needed here
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_weights(weights.view().slice_rows(h * n, n), log_sum.data(), call.head(h));
  }
  return weights;
}

template <class T>
const Kernels<T>& naive() {
  static constexpr Kernels<T> kernels{.name = "naive",
                                      .embedding_forward = embedding_forward,
                                      .embedding_backward = embedding_backward,
                                      .linear_forward = linear_forward,
                                      .linear_backward_input = linear_backward_input,
                                      .linear_backward_weight = linear_backward_weight,
                                      .rmsnorm_forward = rmsnorm_forward,
                                      .rmsnorm_backward = rmsnorm_backward,
                                      .add_forward = add_forward,
                                      .activation_forward = activation_forward,
                                      .activation_backward = activation_backward,
                                      .attention_forward = attention_forward,
                                      .attention_backward = attention_backward,
                                      .cross_entropy_forward = cross_entropy_forward,
                                      .cross_entropy_backward = cross_entropy_backward,
                                      .adam_update = adam_update};
  return kernels;
}

template Tensor<float> attention_weights(const AttentionCall<float>&);
template Tensor<double> attention_weights(const AttentionCall<double>&);
template const Kernels<float>& naive();
template const Kernels<double>& naive();

}  // namespace microgpt
