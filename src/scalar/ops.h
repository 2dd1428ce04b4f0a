// The operations of a neural network on lists of Values. All could be written with + and *. As nodes with many children
// they compute the same sums in the same order, forward and backward, with fewer nodes. (This holds if no term was
// computed from another: see Tape::backward.)
#pragma once

#include "base/activation.h"
#include "scalar/matrix.h"
#include "scalar/values.h"

namespace microgpt {

/// x[0] + x[1] + ..., from left to right.
Value sum(Values x);

/// The sum divided by the number of elements, as (1 / n) * sum.
Value mean(Values x);

/// a[0] * b[0] + a[1] * b[1] + ..., from left to right. a and b have the same size.
Value dot(Values a, Values b);

/// w x: y[i] is the dot product of x (n_in) and row i of w (n_out, n_in). Returns (n_out). backward() reads the weights
/// again, so they must not change in between.
Values linear(Values x, const Matrix& w);

/// Turns any numbers into probabilities: positive, in the same order, with a sum of 1. Subtracts the largest first, so
/// that exp cannot overflow; this does not change the result.
Values softmax(Values logits);

/// x scaled to a root mean square of 1 (Zhang and Sennrich, 2019), without a learned gain.
Values rmsnorm(Values x);

/// a + b, element by element.
Values add(Values a, Values b);

/// Replaces negative elements by 0.
Values relu(Values x);

/// What an MLP does between its two matrices: relu(x), or its square.
Values activate(Values x, Activation activation);

/// The same numbers as leaves: no gradient flows back through them.
Values detach(Values x);

/// -log of the probability that softmax gives the target, in nats: 0 if the model was certain and right. Infinite if
/// that probability is too small for a double, as in microgpt.py, where the logarithm of 0 then ends the program.
Value cross_entropy(Values logits, std::size_t target);

}  // namespace microgpt
