// A text read in numbers: one head at one position, from its query to what it adds to the residual stream; and why a
// letter is likely.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heads/probe.h"

namespace microgpt {

/// A position that the head looks at.
struct LookedAt {
  std::size_t position;
  std::vector<double> key;       // (K)
  std::vector<double> products;  // (K) query times key, number by number
  double sum;                    // of the products
  double score;                  // sum / sqrt(K)
  double weight;                 // softmax of the scores
  std::vector<double> value;     // (D)
};

struct HeadRow {
  std::vector<double> query;    // (K), rotated if the model rotates
  std::vector<LookedAt> seen;   // the positions that the mask lets it see, in order
  std::vector<double> output;   // (D) the values mixed
  std::vector<double> written;  // (C) what reaches the residual stream through the head's columns of attn_wo

  /// The n positions with the largest weights, the largest first; of equal ones the earlier.
  std::vector<std::size_t> strongest(std::size_t n) const;  // indices of `seen`
};

/// The row of position t; `tokens` are BOS and what follows, at least t + 1 of them and at most block_size. Throws
/// std::out_of_range if there is no such head or position.
HeadRow head_row(const Config& config, const Parameters& parameters, std::span<const Token> tokens, HeadId id,
                 std::size_t t);

/// Why a logit is what it is. No norm stands between the last layer and lm_head, so every logit is exactly a sum: of
/// what letter and position, each head and each MLP have added to the residual stream, times a row of lm_head.
struct LogitPart {
  std::string name;             // "letter and position" (RoPE: "letter"), "layer 0, head 2" or "layer 0, MLP"
  std::vector<double> adds;     // (V) to each logit
  std::vector<double> without;  // (V) the logits of the model in which this part adds nothing, at any position
};

struct LogitParts {
  std::vector<double> logits;    // (V)
  std::vector<LogitPart> parts;  // in the order in which the model adds them
};

/// The parts of the logits at position t; `tokens` are BOS and what follows, at least t + 1 of them. Throws
/// std::out_of_range if there is no such position, and Error if the loss of the model is not finite.
LogitParts logit_parts(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                       std::size_t t);

/// How surprised a model with these logits is if this token comes: -log of its probability, in nats.
double loss_of(std::span<const double> logits, Token token);

}  // namespace microgpt
