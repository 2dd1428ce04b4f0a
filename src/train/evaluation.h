// How good a model is: its loss on documents it did not learn from, and how sure that figure is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/dataset.h"
#include "base/tokenizer.h"
#include "scalar/gpt.h"

namespace microgpt {

/// The loss of each document by itself, in nats for each token. Takes back what it made on the tape.
std::vector<double> document_losses(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer);

/// A mean of n numbers, and how far to trust it.
struct Estimate {
  double mean;
  double stddev;          // how far a single number is from the mean, typically (divisor n - 1)
  double standard_error;  // how far this mean is from that of ever more such numbers, typically: stddev / sqrt(n)
};

/// Not a number for the mean of none and for the deviation of fewer than two.
Estimate estimate(std::span<const double> numbers);

/// The mean of document_losses(): a document counts the same whether it is short or long, as it does in training.
Estimate mean_loss(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer);

/// How many of these names, tokens without BOS, stand among the documents, letter for letter. One that was invented
/// twice counts twice.
std::size_t count_listed(std::span<const std::vector<Token>> names, std::span<const Document> documents,
                         const Tokenizer& tokenizer);

}  // namespace microgpt
