// Attention weights as a picture: which position looked where.
#pragma once

#include <span>
#include <vector>

#include "base/tokenizer.h"
#include "inspect/plot.h"
#include "scalar/values.h"

namespace microgpt {

/// Row t is how position t shared its attention among positions 0 to t, so each row has one number more than the one
/// above, and they sum to 1. `weights` are those rows; they belong to the first of the `tokens`. BOS is labelled ".".
Grid attention_grid(std::span<const Values> weights, std::span<const Token> tokens, const Tokenizer& tokenizer);

/// Every number times the length of its row: 1 is an even share, and half dark. Long rows become comparable with short
/// ones, and one grid with another.
Grid times_even_share(Grid grid);

}  // namespace microgpt
