// A bigram model: it predicts the next token from the one before, by counting pairs. It has no gradients and no
// parameters. Its loss is the baseline that every other model has to beat.
#pragma once

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
  std::vector<std::uint64_t> counts(Token token) const;

  /// p(next | token). One is added to every count, so that no pair is impossible (Laplace smoothing).
  double probability(Token token, Token next) const;

  /// The same for every next token, (V).
  std::vector<double> probabilities(Token token) const;

  /// The mean over a document of -log p(next token), in nats. `tokens` is BOS, document, BOS.
  double loss(std::span<const Token> tokens) const;

  /// Counts the pairs of a document.
  void count(std::span<const Token> tokens);

 private:
  struct Row {
    std::uint64_t total = 0;
    std::map<Token, std::uint64_t> counts;  // only of what came: an alphabet can be large
  };

  std::vector<Row> rows_;  // (V)
};

}  // namespace microgpt
