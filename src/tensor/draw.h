// Drawing the next token.
#pragma once

#include <span>

#include "base/tokenizer.h"

namespace microgpt {

/// A temperature that only leaves the likeliest token. Lower ones, also 0, count as this one.
inline constexpr double coldest = 1e-30;

/// The next token, drawn in proportion to softmax(logits / temperature), where `uniform` is a random number in [0, 1).
/// Overwrites the logits. Throws Error if they are not finite. T is float or double.
template <class T>
Token draw(std::span<T> logits, double temperature, double uniform);

}  // namespace microgpt
