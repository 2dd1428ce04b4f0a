// What surrounds the draft: a layer of attention from its input to its output and back.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/parameters.h"
#include "base/python_random.h"
#include "lesson/softmax.h"

namespace lesson13 {

using namespace microgpt;

using Numbers = std::span<double>;
using Rows = std::vector<std::vector<double>>;  // a row for each position

inline Rows zeros(std::size_t rows, std::size_t cols) { return Rows(rows, std::vector<double>(cols)); }

inline std::vector<double> flat(const Rows& rows) {
  std::vector<double> numbers;
  for (const std::vector<double>& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
  return numbers;
}

inline double dot(Numbers a, Numbers b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// to += factor * x.
inline void add(Numbers to, double factor, Numbers x) {
  for (std::size_t j = 0; j < x.size(); j++) to[j] += factor * x[j];
}

/// The numbers of head h, of D each. Throws Error if the row is too short.
inline Numbers of_head(std::vector<double>& row, std::size_t h, std::size_t D) {
  if ((h + 1) * D > row.size()) {
    throw Error(fmt::format("head {} needs numbers {} to {}, and there are {}", h, h * D, (h + 1) * D - 1, row.size()));
  }
  return Numbers(row).subspan(h * D, D);
}

/// One document's way through the layer and back.
struct Pass {
  /// Random weights, and x and dout for 7 positions. W_K and W_V have so many rows.
  Pass(const Config& config_, std::size_t kv_rows, PythonRandom random)
      : config(config_),
        w({{"attn_wq", config.n_embd, config.n_embd},
           {"attn_wk", kv_rows, config.n_embd},
           {"attn_wv", kv_rows, config.n_embd},
           {"attn_wo", config.n_embd, config.n_embd}}) {
    draw_weights(w, 0.3, random);
    x = dout = zeros(7, config.n_embd);
    for (Rows* rows : {&x, &dout}) {
      for (std::vector<double>& row : *rows) std::generate(row.begin(), row.end(), [&] { return random.gauss(0, 1); });
    }
  }

  /// Takes another's x and dout, and as many of its weights as there is room for.
  void take(const Pass& other) {
    x = other.x;
    dout = other.dout;
    for (const Parameter& matrix : w.matrices()) {
      const Parameter& from = other.w[matrix.name];
      std::copy_n(from.data, std::min(from.size(), matrix.size()), matrix.data);
    }
  }

  Config config;
  Parameters w;                        // weights and their gradients
  Rows x, q, k, v, x_attn, out;        // (T,C), but keys and values (T,G*D)
  std::vector<Rows> weights;           // (H,T,T) of attention
  Rows dx, dq, dk, dv, dx_attn, dout;  // the gradients
};

/// y = x W^T.
inline Rows linear_forward(Rows& x, const Parameter& w) {
  Rows y = zeros(x.size(), w.rows);
  for (std::size_t t = 0; t < x.size(); t++) {
    for (std::size_t i = 0; i < w.rows; i++) y[t][i] = dot(w.row(i), x[t]);
  }
  return y;
}

/// dx += dy W, and dW = dy^T x.
inline void linear_backward(Rows& dx, Rows& dy, Rows& x, const Parameter& w) {
  for (std::size_t t = 0; t < x.size(); t++) {
    for (std::size_t i = 0; i < w.rows; i++) {
      add(dx[t], dy[t][i], w.row(i));
      add(w.grad_row(i), dy[t][i], x[t]);
    }
  }
}

/// Forward and backward of the layer; `forward` leads from q, k, v to x_attn, and `backward` from dx_attn to dq, dk,
/// dv.
template <class Forward, class Backward>
void run(Pass& a, Forward forward, Backward backward) {
  a.q = linear_forward(a.x, a.w["attn_wq"]);
  a.k = linear_forward(a.x, a.w["attn_wk"]);
  a.v = linear_forward(a.x, a.w["attn_wv"]);
  forward(a);
  a.out = linear_forward(a.x_attn, a.w["attn_wo"]);
  a.dx = a.dx_attn = zeros(a.x.size(), a.config.n_embd);
  linear_backward(a.dx_attn, a.dout, a.x_attn, a.w["attn_wo"]);
  backward(a);
  linear_backward(a.dx, a.dq, a.x, a.w["attn_wq"]);
  linear_backward(a.dx, a.dk, a.x, a.w["attn_wk"]);
  linear_backward(a.dx, a.dv, a.x, a.w["attn_wv"]);
}

}  // namespace lesson13
