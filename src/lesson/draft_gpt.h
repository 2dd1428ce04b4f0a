// What a GPT around an attention of your own needs, a row of Values for each position; and the table that compares such
// drafts, each trained with three seeds and evaluated on the held-out names.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/parameters.h"
#include "lesson/comparison.h"
#include "microgpt.h"

namespace microgpt {

using Rows = std::vector<Values>;  // a list of numbers for each position of a document

Rows linear(const Rows& x, const Matrix& w);

Rows slice(const Rows& rows, std::size_t start, std::size_t n);

/// One head, as in lesson 07: the query's scores for the keys, times `scale`, make weights, and these mix the values.
Values one_head(const Values& q, const Rows& keys, const Rows& values, double scale);

/// n_head heads, each with its slice of the query, the keys and the values. Their results side by side.
Values all_heads(const Values& q, const Rows& keys, const Rows& values, std::size_t n_head);

/// Each pair of neighbours, an arrow in the plane, rotated by an angle in radians: lesson 17.
Values rotated(const Values& x, double angle);

/// The shapes of a draft's parameters: those of a plain GPT, but with these matrices for the attention of each layer.
std::vector<Parameters::Shape> draft_shapes(const Config& config, const std::vector<Parameters::Shape>& attention);

/// The mean over all predictions in names whose losses are means over their own. A long name has more of them.
double mean_over_predictions(std::span<const double> losses, std::span<const Document> names);

/// Prints the results, and how each form differs from the first, with the margin of lesson/comparison.h.
void print(const std::vector<Outcome>& results, std::size_t num_steps);

}  // namespace microgpt
