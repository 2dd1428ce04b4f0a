// The MLP of lesson 02 for any kind of Value: lessons 03 and 04 train it with the Values they write.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/parameters.h"
#include "base/tokenizer.h"

namespace microgpt::draft {

template <class V>
using List = std::vector<V>;
template <class V>
using Matrix = std::vector<List<V>>;  // its rows

template <class V>
V sum(const List<V>& x) {
  V total = x[0];
  for (std::size_t i = 1; i < x.size(); i++) total = total + x[i];
  return total;
}

/// a[0] * b[0] + a[1] * b[1] + ..., with a node for each * and each +.
template <class V>
V dot(const List<V>& a, const List<V>& b) {
  V total = a[0] * b[0];
  for (std::size_t i = 1; i < a.size(); i++) total = total + a[i] * b[i];
  return total;
}

template <class V>
List<V> softmax(const List<V>& logits) {
  double max_val = logits[0].data();
  for (const V& logit : logits) max_val = std::max(max_val, logit.data());
  List<V> exps;
  for (const V& logit : logits) exps.push_back(exp(logit - max_val));
  const V total = sum(exps);
  List<V> probs;
  for (const V& e : exps) probs.push_back(e / total);
  return probs;
}

template <class V>
using Dot = V (*)(const List<V>&, const List<V>&);

template <class V>
class Mlp {
 public:
  /// A leaf for each parameter, with its number.
  explicit Mlp(const Parameters& parameters, Dot<V> dot = draft::dot<V>)
      : dot_(dot),
        wte_(matrix(parameters["wte"])),
        mlp_fc1_(matrix(parameters["mlp_fc1"])),
        mlp_fc2_(matrix(parameters["mlp_fc2"])) {}

  /// The logits, (V), of the token that comes after `token_id`.
  List<V> logits(Token token_id) const {
    List<V> x = linear(wte_[token_id], mlp_fc1_);
    for (V& xi : x) xi = relu(xi);
    return linear(x, mlp_fc2_);
  }

  /// The mean over a document of -log p(next token).
  V document_loss(std::span<const Token> tokens) const {
    List<V> losses;
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      losses.push_back(-log(softmax(logits(tokens[i]))[tokens[i + 1]]));
    }
    return sum(losses) * (1.0 / static_cast<double>(losses.size()));
  }

  /// Whether the gradients are those of `parameters`, to the last bit.
  bool same_gradients(const Parameters& parameters) const {
    return std::equal(leaves_.begin(), leaves_.end(), parameters.grad().begin(),
                      [](const V& leaf, double grad) { return leaf.grad() == grad; });
  }

  /// Every parameter a step downhill; the gradients become zero.
  void sgd_update(double learning_rate) {
    for (const V& leaf : leaves_) {
      leaf.node->data -= learning_rate * leaf.node->grad;
      leaf.node->grad = 0;
    }
  }

 private:
  Matrix<V> matrix(const Parameter& parameter) {
    Matrix<V> rows(parameter.rows);
    for (std::size_t i = 0; i < parameter.rows; i++) {
      rows[i].assign(parameter.row(i).begin(), parameter.row(i).end());
      leaves_.insert(leaves_.end(), rows[i].begin(), rows[i].end());
    }
    return rows;
  }

  List<V> linear(const List<V>& x, const Matrix<V>& w) const {
    List<V> y;
    for (const List<V>& row : w) y.push_back(dot_(row, x));
    return y;
  }

  Dot<V> dot_;
  List<V> leaves_;  // of all parameters, in the order of the store
  Matrix<V> wte_, mlp_fc1_, mlp_fc2_;
};

}  // namespace microgpt::draft
