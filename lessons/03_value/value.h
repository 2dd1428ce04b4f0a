// Value as a graph of pointers, in the manner of Karpathy's micrograd: a number that keeps hold of the numbers it was
// computed from, and of how much it changes with each of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>
#include <vector>

#include "base/power.h"

namespace lesson03 {

struct Node {
  double data;
  std::vector<std::shared_ptr<Node>> children;  // what it was computed from
  std::vector<double> local_grads;              // d data / d child, for each child
  double grad = 0;                              // d L / d data, once L.backward() has run
};

class Value {
 public:
  Value(double data) : Value(data, {}, {}) {}
  Value(double data, std::vector<std::shared_ptr<Node>> children, std::vector<double> local_grads)
      : node(std::make_shared<Node>(Node{data, std::move(children), std::move(local_grads)})) {}

  double data() const { return node->data; }
  double grad() const { return node->grad; }

  /// Every node that this one was computed from, and itself: children before parents, each once.
  std::vector<Node*> topological_order() const;

  /// Finds how fast this Value changes with every node. Only leaves keep what an earlier backward() gave them.
  void backward() const;

  std::shared_ptr<Node> node;
};

inline Value operator*(const Value& a, const Value& b) {
  return {a.data() * b.data(), {a.node, b.node}, {b.data(), a.data()}};
}
inline Value operator+(const Value& a, const Value& b) { return {a.data() + b.data(), {a.node, b.node}, {1, 1}}; }
inline Value pow(const Value& x, double k) {
  return {microgpt::power(x.data(), k), {x.node}, {k * microgpt::power(x.data(), k - 1)}};
}
inline Value log(const Value& x) { return {std::log(x.data()), {x.node}, {1 / x.data()}}; }
inline Value exp(const Value& x) { return {std::exp(x.data()), {x.node}, {std::exp(x.data())}}; }
inline Value relu(const Value& x) { return {std::max(0.0, x.data()), {x.node}, {x.data() > 0 ? 1.0 : 0.0}}; }

inline Value operator-(const Value& a) { return a * -1; }
inline Value operator-(const Value& a, const Value& b) { return a + -b; }
inline Value operator/(const Value& a, const Value& b) { return a * pow(b, -1); }

inline void visit(Node* v, std::unordered_set<Node*>& seen, std::vector<Node*>& order) {
  if (!seen.insert(v).second) return;
  for (const std::shared_ptr<Node>& child : v->children) visit(child.get(), seen, order);
  order.push_back(v);
}

inline std::vector<Node*> Value::topological_order() const {
  std::vector<Node*> order;
  std::unordered_set<Node*> seen;
  visit(node.get(), seen, order);
  return order;
}

/// Parents before children: when a node hands on its gradient, all shares of it have arrived.
inline void Value::backward() const {
  const std::vector<Node*> order = topological_order();
  for (Node* v : order) {
    if (!v->children.empty()) v->grad = 0;
  }
  node->grad = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& v = **it;
    for (std::size_t i = 0; i < v.children.size(); i++) {
      v.children[i]->grad += v.local_grads[i] * v.grad;
    }
  }
}

}  // namespace lesson03
