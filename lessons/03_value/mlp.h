// The network of lesson 02, forward only. V is a kind of Value: ours, or that of lesson 04.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/parameters.h"
#include "base/tokenizer.h"

namespace lesson03 {

template <class V>
using List = std::vector<V>;

/// a[0] * b[0] + a[1] * b[1] + ..., with a node for each * and each +.
template <class V>
V dot(const List<V>& a, const List<V>& b) {
  V total = a[0] * b[0];
  for (std::size_t i = 1; i < a.size(); i++) total = total + a[i] * b[i];
  return total;
}

template <class V>
V sum(const List<V>& x) {
  V total = x[0];
  for (std::size_t i = 1; i < x.size(); i++) total = total + x[i];
  return total;
}

template <class V>
List<V> softmax(List<V> x) {
  double max_val = x[0].data();
  for (const V& xi : x) max_val = std::max(max_val, xi.data());
  for (V& xi : x) xi = exp(xi - max_val);
  const V total = sum(x);
  for (V& xi : x) xi = xi / total;
  return x;
}

template <class V>
struct Mlp {
  using Dot = V (*)(const List<V>&, const List<V>&);

  /// A leaf for each of these numbers.
  explicit Mlp(const microgpt::Parameters& parameters, Dot dot_product = lesson03::dot<V>) : dot(dot_product) {
    for (auto [name, rows] : {std::pair("wte", &wte), {"mlp_fc1", &mlp_fc1}, {"mlp_fc2", &mlp_fc2}}) {
      const microgpt::Parameter& matrix = parameters[name];
      for (std::size_t i = 0; i < matrix.rows; i++) {
        rows->emplace_back(matrix.row(i).begin(), matrix.row(i).end());
        params.insert(params.end(), rows->back().begin(), rows->back().end());
      }
    }
  }

  List<V> linear(const List<V>& x, const List<List<V>>& w) const {
    List<V> y;
    for (const List<V>& row : w) y.push_back(dot(row, x));
    return y;
  }

  /// The mean over a document of -log p(next token).
  V document_loss(std::span<const microgpt::Token> tokens) const {
    List<V> losses;
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      List<V> h = linear(wte[tokens[i]], mlp_fc1);
      for (V& hi : h) hi = relu(hi);
      losses.push_back(-log(softmax(linear(h, mlp_fc2))[tokens[i + 1]]));
    }
    return sum(losses) * (1.0 / static_cast<double>(losses.size()));
  }

  List<List<V>> wte, mlp_fc1, mlp_fc2;
  List<V> params;  // the numbers of all three
  Dot dot;
};

}  // namespace lesson03
