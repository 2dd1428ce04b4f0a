// The losses of some documents, the mean of such numbers, and how precise that mean is.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/dataset.h"
#include "base/tokenizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// The loss of each document, in nats per token. Leaves nothing on the tape.
inline std::vector<double> document_losses(const Loss& loss, std::span<const Document> documents,
                                           const Tokenizer& tokenizer) {
  std::vector<double> losses;
  for (const Document& document : documents) {
    const Scope scope;
    losses.push_back(loss(tokenizer.encode_document(document)).data());
  }
  return losses;
}

/// A mean of n numbers, and how precise it is.
struct Estimate {
  double mean;
  double stddev;          // typical distance of one number from the mean (divisor n - 1)
  double standard_error;  // typical distance of this mean from the true one: stddev / sqrt(n)

  /// Whether the mean is more than two standard errors from 0. Otherwise one cannot tell on which side of 0 it is.
  bool is_clear() const { return mean > 2 * standard_error || -mean > 2 * standard_error; }
};

/// The mean of no numbers is NaN; so is the deviation of fewer than two, or around an infinite mean.
inline Estimate estimate(std::span<const double> numbers) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(numbers.size());
  double total = 0;
  for (double x : numbers) total += x;
  const double mean = numbers.empty() ? unknown : total / n;
  double squares = 0;
  for (double x : numbers) squares += (x - mean) * (x - mean);
  // An infinite mean has no deviation either. (inf - inf is a NaN whose sign is printed, and depends on the machine.)
  const bool known = numbers.size() >= 2 && std::isfinite(mean);
  const double stddev = known ? std::sqrt(squares / (n - 1)) : unknown;
  return {mean, stddev, stddev / std::sqrt(n)};
}

/// The mean of document_losses(). Every document counts the same, short or long, as in training.
inline Estimate mean_loss(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer) {
  return estimate(document_losses(loss, documents, tokenizer));
}

/// How many of these names (tokens without BOS) are among the documents, letter for letter. Repeated names count each
/// time.
inline std::size_t count_listed(std::span<const std::vector<Token>> names, std::span<const Document> documents,
                                const Tokenizer& tokenizer) {
  std::map<std::u32string, std::size_t, std::less<>> asked;  // how often; the documents may be millions
  for (const std::vector<Token>& name : names) asked[tokenizer.document_of(name)]++;
  std::size_t listed = 0;
  for (const Document& document : documents) {
    const auto found = asked.find(document);
    if (found == asked.end()) continue;
    listed += found->second;
    asked.erase(found);
  }
  return listed;
}

}  // namespace microgpt
