// What exercise 15 is given: the parts of a GPT in plain numbers, which count their work.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "lesson/softmax.h"

using namespace microgpt;

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline std::size_t products = 0;     // how many were computed so far
inline std::size_t tokens_read = 0;  // how many embeddings were looked up so far

/// (n_out) of x (n_in).
inline Row linear(const Parameter& w, const Row& x) {
  products += w.size();
  Row y(w.rows);
  for (std::size_t i = 0; i < w.rows; i++) {
    for (std::size_t j = 0; j < w.cols; j++) y[i] += w.row(i)[j] * x[j];
  }
  return y;
}

inline Row add(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); i++) a[i] += b[i];
  return a;
}

inline Row rmsnorm(Row x) {
  double squares = 0;
  for (const double number : x) squares += number * number;
  for (double& number : x) number /= std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
  return x;
}

/// What goes into the first layer, (C).
inline Row embedding(const Parameters& p, Token token, std::size_t position) {
  tokens_read++;
  const std::span<const double> letter = p["wte"].row(token), place = p["wpe"].row(position);
  return rmsnorm(add({letter.begin(), letter.end()}, {place.begin(), place.end()}));
}

/// What the H heads of a query (C) find in these keys and values, (C) each.
inline Row attend(const Row& q, const Rows& keys, const Rows& values, std::size_t H) {
  const std::size_t D = q.size() / H;
  Row x_attn(q.size());
  for (std::size_t h = 0; h < H && !keys.empty(); h++) {
    Row weights(keys.size());
    for (std::size_t t = 0; t < keys.size(); t++) {
      for (std::size_t j = h * D; j < h * D + D; j++) weights[t] += q[j] * keys[t][j] / std::sqrt(D);
    }
    weights = softmax(weights);
    for (std::size_t t = 0; t < keys.size(); t++) {
      for (std::size_t j = h * D; j < h * D + D; j++) x_attn[j] += weights[t] * values.at(t)[j];
    }
  }
  products += 2 * q.size() * keys.size();
  return x_attn;
}

/// The matrices of layer li.
struct Layer {
  Layer(const Parameters& p, std::size_t li) : Layer(p, "layer" + std::to_string(li) + ".") {}
  Layer(const Parameters& p, const std::string& name)
      : wq(p[name + "attn_wq"]),
        wk(p[name + "attn_wk"]),
        wv(p[name + "attn_wv"]),
        wo(p[name + "attn_wo"]),
        fc1(p[name + "mlp_fc1"]),
        fc2(p[name + "mlp_fc2"]) {}

  const Parameter &wq, &wk, &wv, &wo, &fc1, &fc2;
};

/// The second half of a layer.
inline Row mlp(const Layer& layer, const Row& x) {
  Row hidden = linear(layer.fc1, rmsnorm(x));
  for (double& number : hidden) number = std::max(number, 0.0);
  return add(x, linear(layer.fc2, hidden));
}
