// A bigram model: it predicts the next token from the one before, by counting pairs. It has no gradients and no
// parameters. Its loss is the baseline that every other model has to beat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

class Bigram {
 public:
  explicit Bigram(std::size_t vocab_size) : vocab_size_(vocab_size), counts_(vocab_size * vocab_size) {}

  std::size_t vocab_size() const { return vocab_size_; }

  /// How often each token came right after `token`, (V).
  std::span<const std::uint64_t> counts(Token token) const {
    return {counts_.data() + token * vocab_size_, vocab_size_};
  }

  /// p(next | token), (V). One is added to every count, so that no pair is impossible (Laplace smoothing).
  std::vector<double> probabilities(Token token) const;

  /// The mean over a document of -log p(next token), in nats. `tokens` is BOS, document, BOS.
  double loss(std::span<const Token> tokens) const;

  /// Counts the pairs of a document.
  void count(std::span<const Token> tokens);

 private:
  std::size_t vocab_size_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace microgpt
