// The slow reference, part two: microgpt.py's gpt() and loss as they stand there, on reference Values.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/activation.h"
#include "base/config.h"
#include "base/parameters.h"
#include "reference_value.h"

namespace microgpt::reference {

using Vector = std::vector<Value>;
using Rows = std::vector<Vector>;
using StateDict = std::map<std::string, Rows>;

inline StateDict state_dict(const Parameters& parameters) {
  StateDict state;
  for (const Parameter& matrix : parameters.matrices()) {
    for (std::size_t i = 0; i < matrix.rows; i++) {
      state[matrix.name].emplace_back(matrix.row(i).begin(), matrix.row(i).end());
    }
  }
  return state;
}

/// The gradients in the order of the parameters.
inline std::vector<double> grads(const StateDict& state, const Parameters& parameters) {
  std::vector<double> all;
  for (const Parameter& matrix : parameters.matrices()) {
    for (const Vector& row : state.at(matrix.name)) {
      for (const Value& p : row) all.push_back(p.grad());
    }
  }
  return all;
}

inline Value sum(const Vector& x) {
  Value total = 0 + x.at(0);
  for (std::size_t i = 1; i < x.size(); i++) total = total + x[i];
  return total;
}

/// sum(ai * bi for ai, bi in zip(a, b))
inline Value dot(const Vector& a, const Vector& b) {
  Vector products;
  for (std::size_t i = 0; i < a.size(); i++) products.push_back(a[i] * b.at(i));
  return sum(products);
}

inline Value mean(const Vector& x) { return (1 / static_cast<double>(x.size())) * sum(x); }

inline Vector add(const Vector& a, const Vector& b) {
  Vector y;
  for (std::size_t i = 0; i < a.size(); i++) y.push_back(a[i] + b.at(i));
  return y;
}

inline Vector linear(const Vector& x, const Rows& w) {
  Vector y;
  for (const Vector& wo : w) y.push_back(dot(wo, x));
  return y;
}

inline Vector softmax(const Vector& logits) {
  double max_val = logits[0].data();
  for (const Value& val : logits) max_val = std::max(max_val, val.data());
  Vector exps;
  for (const Value& val : logits) exps.push_back(exp(val - max_val));
  const Value total = sum(exps);
  Vector probs;
  for (const Value& e : exps) probs.push_back(e / total);
  return probs;
}

inline Vector rmsnorm(const Vector& x) {
  const Value ms = dot(x, x) / static_cast<double>(x.size());
  const Value scale = pow(ms + 1e-5, -0.5);
  Vector y;
  for (const Value& xi : x) y.push_back(xi * scale);
  return y;
}

inline Vector relu(Vector x) {
  for (Value& xi : x) xi = relu(xi);
  return x;
}

inline Vector activate(const Vector& x, Activation activation) {
  Vector y = relu(x);
  if (activation == Activation::squared_relu) {
    for (Value& yi : y) yi = pow(yi, 2);
  }
  return y;
}

inline Value cross_entropy(const Vector& logits, std::size_t target_id) { return -log(softmax(logits)[target_id]); }

inline Vector gpt(const Config& config, const StateDict& state, std::size_t token_id, std::size_t pos_id,
                  std::vector<Rows>& keys, std::vector<Rows>& values) {
  const std::size_t head_dim = config.n_embd / config.n_head;
  Vector x = add(state.at("wte")[token_id], state.at("wpe")[pos_id]);
  x = rmsnorm(x);
  for (std::size_t li = 0; li < config.n_layer; li++) {
    auto weights = [&](const char* name) -> const Rows& { return state.at("layer" + std::to_string(li) + "." + name); };
    Vector x_residual = x;
    x = rmsnorm(x);
    const Vector q = linear(x, weights("attn_wq"));
    keys[li].push_back(linear(x, weights("attn_wk")));
    values[li].push_back(linear(x, weights("attn_wv")));
    Vector x_attn;
    for (std::size_t h = 0; h < config.n_head; h++) {
      const std::size_t hs = h * head_dim;
      auto slice = [&](const Vector& v) { return Vector(v.begin() + hs, v.begin() + hs + head_dim); };
      Vector attn_logits;
      for (const Vector& k : keys[li]) {
        attn_logits.push_back(dot(slice(q), slice(k)) / power(static_cast<double>(head_dim), 0.5));
      }
      const Vector attn_weights = softmax(attn_logits);
      for (std::size_t j = 0; j < head_dim; j++) {
        Vector v_j;
        for (const Vector& v : values[li]) v_j.push_back(v[hs + j]);
        x_attn.push_back(dot(attn_weights, v_j));
      }
    }
    x = add(linear(x_attn, weights("attn_wo")), x_residual);
    x_residual = x;
    x = activate(linear(rmsnorm(x), weights("mlp_fc1")), config.activation);
    x = add(linear(x, weights("mlp_fc2")), x_residual);
  }
  return linear(x, state.at("lm_head"));
}

inline Value document_loss(const Config& config, const StateDict& state, std::span<const std::size_t> tokens) {
  const std::size_t n = std::min(config.block_size, tokens.size() - 1);
  std::vector<Rows> keys(config.n_layer);
  std::vector<Rows> values(config.n_layer);
  Vector losses;
  for (std::size_t pos_id = 0; pos_id < n; pos_id++) {
    losses.push_back(cross_entropy(gpt(config, state, tokens[pos_id], pos_id, keys, values), tokens[pos_id + 1]));
  }
  return mean(losses);
}

}  // namespace microgpt::reference
