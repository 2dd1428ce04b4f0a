// Models for the exercise: a right one, and the same with one bug each. No output, loss or name tells which is which.
#pragma once

#include "base/python_random.h"
#include "train/scalar_trainer.h"

namespace microgpt {

enum class Kind { right, future, detached, full_cache, gradients_kept };

/// One head of attention over at most 8 tokens of an alphabet of 5. The functions are all that a detective may use.
class Suspect {
 public:
  explicit Suspect(Kind kind)
      : kind_(kind),
        parameters_({{"wte", V, C}, {"wpe", T, C}, {"wq", C, C}, {"wk", C, C}, {"wv", C, C}, {"head", V, C}}) {
    PythonRandom random(3);
    draw_weights(parameters_, 0.5, random);
  }

  /// Row t: the probabilities, (V), of the token after tokens[0], ..., tokens[t].
  std::vector<std::vector<double>> probabilities(std::span<const Token> tokens) {
    const Scope scope;
    std::vector<std::vector<double>> rows;
    for (const Values& row : logits(StateDict(parameters_), tokens)) {
      rows.emplace_back();
      for (const Value p : softmax(row)) rows.back().push_back(p.data());
    }
    return rows;
  }

  /// The loss of the document: the mean of -log p(tokens[t + 1]).
  double loss(std::span<const Token> tokens) {
    const Scope scope;
    return graph(StateDict(parameters_), tokens).data();
  }

  /// Its gradient, one number for each parameter.
  std::vector<double> gradient(std::span<const Token> tokens) {
    const Scope scope;
    const StateDict p(parameters_);
    graph(p, tokens).backward();
    if (kind_ != Kind::gradients_kept) gradient_.assign(p.params.size(), 0);
    for (std::size_t i = 0; i < gradient_.size(); i++) gradient_[i] += p.params[i].grad();
    return gradient_;
  }

  /// The parameters themselves. Leave them as they were.
  std::span<double> parameters() { return parameters_.data(); }

 private:
  static constexpr std::size_t V = 5, T = 8, C = 4;

  std::vector<Values> logits(const StateDict& p, std::span<const Token> tokens) {
    const Matrix &wte = p["wte"], &wpe = p["wpe"], &wq = p["wq"], &wk = p["wk"], &wv = p["wv"], &head = p["head"];
    std::vector<Values> x, keys, values;
    for (std::size_t t = 0; t < tokens.size(); t++) {
      x.push_back(add(wte[tokens[t]], wpe[t]));
      const Values past = kind_ == Kind::detached ? detach(x[t]) : x[t];
      keys.push_back(linear(past, wk));
      values.push_back(linear(past, wv));
    }
    // The full cache still holds what the document before left in it: its first letter.
    if (kind_ == Kind::full_cache && before_ < V) {
      const Values old = wte[before_];
      keys.insert(keys.begin(), linear(old, wk));
      values.insert(values.begin(), linear(old, wv));
    }
    const std::size_t extra = keys.size() - tokens.size();
    before_ = tokens[tokens.size() > 1 ? 1 : 0];
    std::vector<Values> rows;
    for (std::size_t t = 0; t < tokens.size(); t++) {
      const std::size_t seen = kind_ == Kind::future ? keys.size() : extra + t + 1;
      const Values query = linear(x[t], wq);
      const Values weights =
          softmax(Values(seen, [&](std::size_t s) { return dot(query, keys[s]) / std::sqrt(double{C}); }));
      const Values mixture(
          C, [&](std::size_t j) { return dot(weights, Values(seen, [&](std::size_t s) { return values[s][j]; })); });
      rows.push_back(linear(add(x[t], mixture), head));
    }
    return rows;
  }

  Value graph(const StateDict& p, std::span<const Token> tokens) {
    const std::vector<Values> rows = logits(p, tokens.first(tokens.size() - 1));
    return mean(Values(rows.size(), [&](std::size_t t) { return cross_entropy(rows[t], tokens[t + 1]); }));
  }

  Kind kind_;
  Parameters parameters_;
  std::vector<double> gradient_ = std::vector<double>(parameters_.size());
  Token before_ = V;  // the first letter of the document before; V: there was none
};

}  // namespace microgpt
