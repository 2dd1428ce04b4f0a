// Attention weights as a picture: which position looks where.
#pragma once

#include <span>
#include <vector>

#include "base/tokenizer.h"
#include "inspect/plot.h"
#include "scalar/values.h"

namespace microgpt {

/// Row t holds the weights of position t for positions 0 to t, so each row is one longer than the row above, and sums
/// to 1. `weights` are those rows, for the first of the `tokens`. BOS is labelled ".".
Grid attention_grid(std::span<const Values> weights, std::span<const Token> tokens, const Tokenizer& tokenizer);

/// Multiplies every number by the length of its row: 1 means an even share, and is half dark. So rows of different
/// lengths can be compared, and so can grids.
Grid times_even_share(Grid grid);

}  // namespace microgpt
