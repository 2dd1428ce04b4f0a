// Why a logit is what it is. No norm stands between the last layer and lm_head, so every logit is exactly a sum: of
// what letter and position, each head and each MLP have added to the residual stream, times a row of lm_head.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "base/tokenizer.h"

namespace microgpt {

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
