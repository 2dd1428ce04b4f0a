// The operations of a neural network on lists of Values. All could be written with + and *; as nodes of many children
// they compute the same sums in the same order, forward and backward, with fewer nodes. (For terms that were not
// computed from one another: see Tape::backward.)
#pragma once

#include "base/activation.h"
#include "scalar/matrix.h"
#include "scalar/values.h"

namespace microgpt {

/// x[0] + x[1] + ..., from left to right.
Value sum(Values x);

/// Their sum divided by how many they are, as (1 / n) * sum.
Value mean(Values x);

/// a[0] * b[0] + a[1] * b[1] + ..., from left to right. Both have the same size.
Value dot(Values a, Values b);

/// w x: y[i] is the dot product of row i of w, shape (n_out, n_in), with x, (n_in). Returns (n_out).
/// The weights are read again by backward(): they must not change in between.
Values linear(Values x, const Matrix& w);

/// Turns any numbers into probabilities: positive, in the same order, with a sum of 1. The largest is subtracted first,
/// so that exp cannot overflow; the result is the same.
Values softmax(Values logits);

/// x scaled to a root mean square of 1 (Zhang and Sennrich, 2019), without a learned gain.
Values rmsnorm(Values x);

/// a + b, element by element.
Values add(Values a, Values b);

/// Each element where it is positive, else 0.
Values relu(Values x);

/// What an MLP does between its two matrices: relu(x), or its square.
Values activate(Values x, Activation activation);

/// The same numbers as leaves: no gradient flows back through them.
Values detach(Values x);

/// -log of the probability that softmax gives the target, in nats: 0 if the prediction was certain and right.
Value cross_entropy(Values logits, std::size_t target);

}  // namespace microgpt
