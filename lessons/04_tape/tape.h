// Value on a tape, used like that of lesson 03. Nodes lie one after the other, in the order in which they were made, so
// the way back is a loop from the last to the first.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "base/power.h"

namespace lesson04 {

/// Memory that is handed out in order, and taken back by setting `used` back. It grows by a chunk when it is full.
/// Chunks never move, so a pointer into one stays good.
template <class T>
struct Arena {
  static constexpr std::size_t chunk_size = 4096;
  std::vector<std::unique_ptr<T[]>> chunks;
  std::size_t used = 0;

  std::size_t room() const { return chunks.size() * chunk_size; }
  std::size_t chunks_in_use() const { return (used + chunk_size - 1) / chunk_size; }
  T& operator[](std::size_t i) { return chunks[i / chunk_size][i % chunk_size]; }

  /// n neighbours, which lie in one chunk.
  T* take(std::size_t n) {
    const std::size_t rest = chunk_size - used % chunk_size;
    if (n > rest) used += rest;
    if (used / chunk_size == chunks.size()) chunks.push_back(std::make_unique<T[]>(chunk_size));
    used += n;
    return &(*this)[used - n];
  }
};

struct Node;

struct Edge {
  Node* child;
  double local_grad;  // d data / d child
};

struct Node {
  double data;
  double grad;
  std::span<Edge> edges;  // to what it was computed from
};

struct Tape {
  Arena<Node> nodes;
  Arena<Edge> edges;
};

inline Tape tape;

/// Remembers how far the tape was in use when it began, and goes back there when it ends: all nodes made since are
/// gone.
class Scope {
 public:
  ~Scope() {
    tape.nodes.used = nodes_;
    tape.edges.used = edges_;
  }

 private:
  std::size_t nodes_ = tape.nodes.used;
  std::size_t edges_ = tape.edges.used;
};

struct Value {
  Node* node;

  Value(double data) : Value(data, std::span<Edge>()) {}
  Value(double data, std::initializer_list<Edge> edges) : Value(data, {tape.edges.take(edges.size()), edges.size()}) {
    std::copy(edges.begin(), edges.end(), node->edges.begin());
  }
  /// The edges lie on the tape already.
  Value(double data, std::span<Edge> edges) : node(tape.nodes.take(1)) {
    node->data = data;
    node->grad = 0;
    node->edges = edges;
  }

  double data() const { return node->data; }
  double grad() const { return node->grad; }

  /// Back along the tape, so parents come before their children. Only leaves keep what an earlier backward() gave them.
  void backward() const {
    for (std::size_t i = 0; i < tape.nodes.used; i++) {
      if (!tape.nodes[i].edges.empty()) tape.nodes[i].grad = 0;
    }
    node->grad = 1;
    for (std::size_t i = tape.nodes.used; i-- > 0;) {
      for (const Edge& edge : tape.nodes[i].edges) edge.child->grad += edge.local_grad * tape.nodes[i].grad;
    }
  }
};

inline Value operator+(Value a, Value b) { return {a.data() + b.data(), {{a.node, 1}, {b.node, 1}}}; }
inline Value operator*(Value a, Value b) { return {a.data() * b.data(), {{a.node, b.data()}, {b.node, a.data()}}}; }
inline Value operator+(Value a, double b) { return {a.data() + b, {{a.node, 1}}}; }
inline Value operator*(Value a, double b) { return {a.data() * b, {{a.node, b}}}; }
inline Value pow(Value x, double k) {
  return {microgpt::power(x.data(), k), {{x.node, k * microgpt::power(x.data(), k - 1)}}};
}
inline Value log(Value x) { return {std::log(x.data()), {{x.node, 1 / x.data()}}}; }
inline Value exp(Value x) { return {std::exp(x.data()), {{x.node, std::exp(x.data())}}}; }
inline Value relu(Value x) { return {std::max(0.0, x.data()), {{x.node, x.data() > 0 ? 1.0 : 0.0}}}; }

inline Value operator-(Value a) { return a * -1; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator/(Value a, Value b) { return a * pow(b, -1); }

/// a[0] * b[0] + a[1] * b[1] + ... as one node.
inline Value dot(const std::vector<Value>& a, const std::vector<Value>& b) {
  const std::span<Edge> edges(tape.edges.take(2 * a.size()), 2 * a.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    total += a[i].data() * b[i].data();
    edges[2 * i] = {a[i].node, b[i].data()};
    edges[2 * i + 1] = {b[i].node, a[i].data()};
  }
  return {total, edges};
}

}  // namespace lesson04
