// An n-gram model: it counts what came after the last few tokens. No stronger opponent does without training, so a GPT
// has learned something only if it beats this. What neither knows alone the two know together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

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

  /// p of every token after these, (V), to generate: of order 4, with little trust in shorter contexts. To predict what
  /// nobody has seen they must count for more, but a name that is made of what was seen looks like one.
  std::vector<double> next(std::span<const Token> tokens) const;

 private:
  struct Seen {
    std::uint32_t total = 0;              // how often something followed a context
    std::map<Token, std::uint32_t> next;  // and how often each token did
  };

  /// Calls visit for the last 0, 1, ... of these tokens, fewer than `longest`, as long as they were seen.
  template <class Visit>
  void each_context(std::span<const Token> tokens, std::size_t longest, Visit visit) const;

  std::size_t vocab_size_;
  std::array<std::unordered_map<std::uint64_t, Seen>, longest_order> seen_;  // by contexts of 0, 1, ... tokens, hashed
};

/// -log probability(tokens, i), in nats, for the first predictions of each document, at most `most`, in their order.
std::vector<double> counted_losses(
    const std::function<double(std::span<const Token> tokens, std::size_t i)>& probability,
    std::span<const Document> documents, const Tokenizer& tokenizer, std::size_t most = std::size_t(-1));

inline constexpr std::size_t most_counted = 200'000;  // documents: some 100 MB of counts

/// Counts the documents, at most the first most_counted. Order and trust are those that predict a tenth of them best
/// from the others.
Ngram best_ngram(std::span<const Document> documents, const Tokenizer& tokenizer);

/// A GPT's predictions, mixed with those of counting, as mixed() says.
struct Mixture {
  double share;
  Ngram counts;

  /// Makes of the GPT's logits after these tokens, BOS first, those of the mixture, to generate. T is float or double.
  template <class T>
  void mix(std::span<T> logits, std::span<const Token> tokens) const;
};

/// What a mixture makes of the probabilities of the GPT and of the counts.
inline double mixed(double share, double gpt, double counts) { return share * gpt + (1 - share) * counts; }

/// -log p of a mixture, given -log p of the GPT and of the counts.
std::vector<double> mixed_losses(double share, std::span<const double> gpt, std::span<const double> counts);

/// The share, of 0, 0.05, ... 1, with which their mean is smallest.
double best_share(std::span<const double> gpt, std::span<const double> counts);

}  // namespace microgpt
