// The slow reference, part one: microgpt.py's Value as it stands there. One node for every + and every *, children
// kept in order, local gradients stored in the forward, a recursive depth-first topological order, then backwards.
// Nothing here comes from src, so that src can be compared with it.
#pragma once

#include <cmath>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

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

}  // namespace microgpt::reference
