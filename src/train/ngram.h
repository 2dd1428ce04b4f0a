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

inline constexpr std::size_t most_counted = 200'000;  // documents: some 150 MB of counts

/// Interpolated Kneser-Ney smoothing, with one discount. A shorter context is asked where a longer one has seen
/// little, so there a token counts as often as it came behind another token, and not as often as it came: after "San "
/// many a "Francisco" makes "Francisco" no likelier elsewhere.
class Ngram {
 public:
  /// It looks at the last six tokens and predicts the seventh. More hardly help.
  static constexpr std::size_t order = 7;

  explicit Ngram(std::size_t vocab_size) : vocab_size_(vocab_size) {}

  /// Counts the documents, at most the first most_counted.
  Ngram(std::span<const Document> documents, const Tokenizer& tokenizer);

  /// Counts a document, which begins and ends with BOS.
  void count(std::span<const Token> tokens);

  /// p(tokens[i]), given the tokens before it. i >= 1.
  double operator()(std::span<const Token> tokens, std::size_t i) const;

  /// p of every token after these, (V), to generate: from three tokens, or from more that were seen ten times, with
  /// little trust in shorter ones, and none in one of no tokens. To predict what nobody has seen they must count for
  /// more, but a name that is made of what was seen looks like one.
  std::vector<double> next(std::span<const Token> tokens) const;

 private:
  /// How often something was seen, and behind how many different tokens: 0 if the context cannot be longer.
  struct Count {
    std::uint32_t times = 0, behind = 0;
  };
  struct Seen {
    Count total;                  // of what followed a context
    std::map<Token, Count> next;  // of each token
  };

  /// Calls visit for the last 0, 1, ... of these tokens, fewer than `order`, as long as they were seen.
  template <class Visit>
  void each_context(std::span<const Token> tokens, Visit visit) const;

  std::size_t vocab_size_;
  std::array<std::unordered_map<std::uint64_t, Seen>, order> seen_;  // by contexts of 0, 1, ... tokens, hashed
};

/// -log probability(tokens, i), in nats, for the first predictions of each document, at most `most`, in their order.
std::vector<double> counted_losses(
    const std::function<double(std::span<const Token> tokens, std::size_t i)>& probability,
    std::span<const Document> documents, const Tokenizer& tokenizer, std::size_t most = std::size_t(-1));

/// A GPT's predictions, mixed with those of counting, as mixed() says.
struct Mixture {
  double share;
  Ngram counts;

  /// Makes of the logits after these tokens those of the mixture; after BOS alone, of counting. T: float or double.
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
