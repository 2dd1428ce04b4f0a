// An n-gram model: it counts what came after the last few tokens. No stronger opponent does without training, so a GPT
// has learned something only if it beats this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "base/dataset.h"
#include "base/tokenizer.h"

namespace microgpt {

class Ngram {
 public:
  /// An order of 5 looks at four tokens and predicts the fifth.
  static constexpr std::size_t longest_order = 5;
  std::size_t order = longest_order;

  /// The prediction from the next shorter context counts as much as this many sightings in the longer one.
  double trust = 3;

  explicit Ngram(std::size_t vocab_size) : vocab_size_(vocab_size) {}

  /// Counts a document, which begins and ends with BOS, for all orders.
  void count(std::span<const Token> tokens);

  /// p(tokens[i]), given the tokens before it. i >= 1.
  double operator()(std::span<const Token> tokens, std::size_t i) const;

 private:
  struct Sightings {
    std::unordered_map<std::uint64_t, std::uint32_t> context;  // how often something followed it
    std::unordered_map<std::uint64_t, std::uint32_t> next;     // and how often this token did
  };

  std::size_t vocab_size_;
  std::array<Sightings, longest_order> seen_;  // for contexts of 0, 1, ... tokens, which are kept as hashes
};

/// The mean of -log probability(tokens, i) over all predictions in all documents, in nats.
double counted_loss(const std::function<double(std::span<const Token> tokens, std::size_t i)>& probability,
                    std::span<const Document> documents, const Tokenizer& tokenizer);

/// Counts the documents, at most the first 200,000. Order and trust are those that predict a tenth of them best from
/// the others.
Ngram best_ngram(std::span<const Document> documents, const Tokenizer& tokenizer);

}  // namespace microgpt
