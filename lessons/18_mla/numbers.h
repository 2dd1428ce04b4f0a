// Lists of numbers, matrices times them, and how many products that takes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "base/python_random.h"
#include "lesson/softmax.h"
#include "tensor/rope.h"

namespace lesson14 {

using namespace microgpt;

using Numbers = std::vector<double>;

inline std::size_t products;  // how many were computed

inline double dot(const Numbers& a, const Numbers& b) {
  products += a.size();
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) total += a[i] * b[i];
  return total;
}

/// to += factor * x.
inline void add(Numbers& to, double factor, const Numbers& x) {
  products += x.size();
  for (std::size_t i = 0; i < x.size(); i++) to[i] += factor * x[i];
}

inline std::vector<Numbers> random_rows(std::size_t rows, std::size_t cols, PythonRandom random) {
  std::vector<Numbers> x(rows, Numbers(cols));
  for (Numbers& row : x) std::generate(row.begin(), row.end(), [&] { return random.gauss(0, 1); });
  return x;
}

/// The numbers of head h, which has n.
inline Numbers of_head(const Numbers& x, std::size_t h, std::size_t n) {
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(h * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

/// x with its pairs rotated by a position's angles (RoPE).
inline Numbers rotated(Numbers x, std::size_t position) {
  const View<double> row{x.data(), 1, x.size(), x.size()};
  rope_forward(row, row, std::vector{position}, 10000.0);
  return x;
}

/// And rotated back.
inline Numbers rotated_back(Numbers x, std::size_t position) {
  const View<double> row{x.data(), 1, x.size(), x.size()};
  rope_backward(row, row, std::vector{position}, 10000.0);
  return x;
}

/// A matrix: a row for each output.
using Matrix = std::vector<Numbers>;

/// A matrix of the first layer; without rows if the model has none of that name.
inline Matrix matrix(const Parameters& parameters, const std::string& name) {
  Matrix rows;
  for (const Parameter& p : parameters.matrices()) {
    if (p.name != "layer0." + name) continue;
    for (std::size_t i = 0; i < p.rows; i++) rows.emplace_back(p.row(i).begin(), p.row(i).end());
  }
  return rows;
}

/// The weights of the first layer's attention.
struct Weights {
  explicit Weights(const Parameters& p)
      : dq(matrix(p, "attn_wdq")),
        uq(matrix(p, "attn_wuq")),
        qr(matrix(p, "attn_wqr")),
        dkv(matrix(p, "attn_wdkv")),
        uk(matrix(p, "attn_wuk")),
        uv(matrix(p, "attn_wuv")),
        kr(matrix(p, "attn_wkr")),
        o(matrix(p, "attn_wo")) {}

  Matrix dq;   // W_DQ (Lq,C) down: x to the latent that queries are made of
  Matrix uq;   // W_UQ (H*P,Lq) up: that to queries
  Matrix qr;   // W_QR (H*R,Lq) and to what of them is rotated
  Matrix dkv;  // W_DKV (Lkv,C) down: x to the latent of keys and values
  Matrix uk;   // W_UK (H*P,Lkv)
  Matrix uv;   // W_UV (H*D,Lkv)
  Matrix kr;   // W_KR (R,C) x to what is rotated of the key, of all heads
  Matrix o;    // W_O (C,H*D)
};

/// The rows of head h, which has n.
inline Matrix of_head(const Matrix& w, std::size_t h, std::size_t n) {
  const auto first = w.begin() + static_cast<std::ptrdiff_t>(h * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

/// W x.
inline Numbers times(const Matrix& w, const Numbers& x) {
  Numbers y;
  for (const Numbers& row : w) y.push_back(dot(row, x));
  return y;
}

/// W^T y.
inline Numbers transposed_times(const Matrix& w, const Numbers& y) {
  Numbers x(w[0].size());
  for (std::size_t i = 0; i < w.size(); i++) add(x, y[i], w[i]);
  return x;
}

}  // namespace lesson14
