// The slow reference: microgpt.py's Value, gpt() and loss as they stand there. One node for every + and every *,
// children kept in order, local gradients stored in the forward, a recursive depth-first topological order, then
// backwards. Of src it takes only the parameters, so that the rest can be compared with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/activation.h"
#include "base/config.h"
#include "base/parameters.h"

namespace microgpt::reference {

class Value {
 public:
  Value(double data) : Value(data, {}, {}) {}
  Value(double data, std::vector<Value> children, std::vector<double> local_grads)
      : node_(std::make_shared<Node>(Node{data, 0.0, std::move(children), std::move(local_grads)})) {}

  double data() const { return node_->data; }
  double grad() const { return node_->grad; }

  void backward() const {
    std::vector<Node*> topo;
    std::unordered_set<Node*> visited;
    build_topo(node_.get(), topo, visited);
    node_->grad = 1;
    for (auto v = topo.rbegin(); v != topo.rend(); ++v) {
      for (std::size_t i = 0; i < (*v)->children.size(); i++) {
        (*v)->children[i].node_->grad += (*v)->local_grads[i] * (*v)->grad;
      }
    }
  }

 private:
  struct Node {
    double data;
    double grad;
    std::vector<Value> children;
    std::vector<double> local_grads;
  };

  static void build_topo(Node* v, std::vector<Node*>& topo, std::unordered_set<Node*>& visited) {
    if (!visited.insert(v).second) return;
    for (const Value& child : v->children) build_topo(child.node_.get(), topo, visited);
    topo.push_back(v);
  }

  std::shared_ptr<Node> node_;
};

/// Python's x ** y. The exponent is volatile, so that no compiler can replace pow by something close to it.
inline double power(double x, double y) {
  const volatile double exponent = y;
  return std::pow(x, exponent);
}

inline Value operator+(const Value& a, const Value& b) { return {a.data() + b.data(), {a, b}, {1, 1}}; }
inline Value operator*(const Value& a, const Value& b) { return {a.data() * b.data(), {a, b}, {b.data(), a.data()}}; }
inline Value pow(const Value& a, double k) { return {power(a.data(), k), {a}, {k * power(a.data(), k - 1)}}; }
inline Value log(const Value& a) { return {std::log(a.data()), {a}, {1 / a.data()}}; }
inline Value exp(const Value& a) { return {std::exp(a.data()), {a}, {std::exp(a.data())}}; }
inline Value relu(const Value& a) { return {a.data() > 0 ? a.data() : 0, {a}, {a.data() > 0 ? 1.0 : 0.0}}; }

inline Value operator-(const Value& a) { return a * -1; }
inline Value operator-(const Value& a, const Value& b) { return a + -b; }
inline Value operator-(const Value& a, double b) { return a + Value(-b); }
inline Value operator/(const Value& a, const Value& b) { return a * pow(b, -1); }
inline Value operator/(const Value& a, double b) { return a * Value(power(b, -1)); }
inline Value operator+(double a, const Value& b) { return b + Value(a); }           // __radd__
inline Value operator*(double a, const Value& b) { return b * Value(a); }           // __rmul__
inline Value operator-(double a, const Value& b) { return -b + Value(a); }          // __rsub__, as other + (-self)
inline Value operator/(double a, const Value& b) { return pow(b, -1) * Value(a); }  // __rtruediv__

// --- Lists, and the model --------------------------------------------------------------------------------------------

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
    x = relu(linear(rmsnorm(x), weights("mlp_fc1")));
    if (config.activation == Activation::squared_relu) {
      for (Value& xi : x) xi = pow(xi, 2);
    }
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
