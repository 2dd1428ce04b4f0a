// The losses of some documents, the mean of such numbers, and how precise that mean is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/dataset.h"
#include "base/tokenizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// The loss of each document, in nats per token. Leaves nothing on the tape.
std::vector<double> document_losses(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer);

/// A mean of n numbers, and how precise it is.
struct Estimate {
  double mean;
  double stddev;          // typical distance of one number from the mean (divisor n - 1)
  double standard_error;  // typical distance of this mean from the true one: stddev / sqrt(n)

  /// Whether the mean is more than two standard errors from 0. Otherwise one cannot tell on which side of 0 it is.
  bool is_clear() const { return mean > 2 * standard_error || -mean > 2 * standard_error; }
};

/// The mean of no numbers is NaN; so is the deviation of fewer than two, or around an infinite mean.
Estimate estimate(std::span<const double> numbers);

/// The mean of document_losses(). Every document counts the same, short or long, as in training.
Estimate mean_loss(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer);

/// How many of these names (tokens without BOS) are among the documents, letter for letter. Repeated names count each
/// time.
std::size_t count_listed(std::span<const std::vector<Token>> names, std::span<const Document> documents,
                         const Tokenizer& tokenizer);

}  // namespace microgpt
