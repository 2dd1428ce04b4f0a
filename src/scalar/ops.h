// Operations on lists that lessons and tests use besides those of src/microgpt.cpp.
#pragma once

#include "scalar/values.h"

namespace microgpt {

/// The sum divided by the number of elements, as (1 / n) * sum.
inline Value mean(const List& x) { return (1.0 / static_cast<double>(x.size())) * sum(x); }

/// a + b, element by element.
inline Values add(const List& a, const List& b) {
  return Values(a.size(), [&](std::size_t i) { return a[i] + b[i]; });
}

/// Replaces negative elements by 0.
inline Values relu(const List& x) {
  return Values(x.size(), [&](std::size_t i) { return relu(x[i]); });
}

/// The same numbers as leaves: no gradient flows back through them.
inline Values detach(const List& x) {
  return Values(x.size(), [&](std::size_t i) { return Value(x[i].data()); });
}

/// -log of the probability that softmax gives the target, in nats: 0 if the model was certain and right. Infinite if
/// that probability is too small for a double, as in microgpt.py, where the logarithm of 0 then ends the program.
inline Value cross_entropy(const List& logits, std::size_t target) { return -log(softmax(logits)[target]); }

}  // namespace microgpt
