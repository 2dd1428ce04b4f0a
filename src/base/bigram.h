// A bigram model: it predicts the next token from the one before, by counting pairs. It has no gradients and no
// parameters. Its loss is the baseline that every other model has to beat.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

class Bigram {
 public:
  explicit Bigram(std::size_t vocab_size) : rows_(vocab_size) {}

  std::size_t vocab_size() const { return rows_.size(); }

  /// How often each token came right after `token`, (V).
  std::vector<std::uint64_t> counts(Token token) const {
    std::vector<std::uint64_t> counts(vocab_size());
    for (const auto& [next, times] : rows_[token].counts) counts[next] = times;
    return counts;
  }

  /// p(next | token). One is added to every count, so that no pair is impossible (Laplace smoothing).
  double probability(Token token, Token next) const {
    const Row& row = rows_[token];
    const auto found = row.counts.find(next);
    const std::uint64_t times = found == row.counts.end() ? 0 : found->second;
    return static_cast<double>(times + 1) / static_cast<double>(row.total + vocab_size());
  }

  /// The same for every next token, (V).
  std::vector<double> probabilities(Token token) const {
    std::vector<double> p(vocab_size());
    for (Token next = 0; next < vocab_size(); next++) p[next] = probability(token, next);
    return p;
  }

  /// The mean over a document of -log p(next token), in nats. `tokens` is BOS, document, BOS.
  double loss(std::span<const Token> tokens) const {
    const std::size_t n = tokens.size() - 1;
    double total = 0;
    for (std::size_t i = 0; i < n; i++) total += -std::log(probability(tokens[i], tokens[i + 1]));
    return 1.0 / static_cast<double>(n) * total;
  }

  /// Counts the pairs of a document.
  void count(std::span<const Token> tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      rows_[tokens[i]].total++;
      rows_[tokens[i]].counts[tokens[i + 1]]++;
    }
  }

 private:
  struct Row {
    std::uint64_t total = 0;
    std::map<Token, std::uint64_t> counts;  // only of what came: an alphabet can be large
  };

  std::vector<Row> rows_;  // (V)
};

}  // namespace microgpt
