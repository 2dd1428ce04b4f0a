// What is written down about a head, document by document: how sharp its rows are, and how much of its weight lies on a
// target.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "heads/probe.h"
#include "train/evaluation.h"

namespace lesson21 {

using namespace microgpt;
using Tokens = std::span<const Token>;

/// Somewhere to look from position t: whether position s is such a place. The tokens x begin with BOS.
struct Target {
  const char* name;
  bool (*is_at)(Tokens x, std::size_t t, std::size_t s);
};

constexpr std::size_t num_targets = 5;

/// The weight on a target: a mean over rows, or over documents.
struct Mass {
  double value = 0;
  double even = 0;  // of a head that gives all visible positions the same
  double most = 0;  // of a head that looks there whenever it can
};

/// A head, seen on many documents.
struct Watched {
  HeadId id;
  std::vector<double> entropies = {};                      // one for each document
  std::array<std::vector<Mass>, num_targets> masses = {};  // [target][document]

  /// The mean of all documents.
  Mass mass(std::size_t target) const {
    const auto n = static_cast<double>(masses[target].size());
    Mass sum;
    for (const Mass& mass : masses[target]) {
      sum = {sum.value + mass.value, sum.even + mass.even, sum.most + mass.most};
    }
    return {sum.value / n, sum.even / n, sum.most / n};
  }

  /// Two standard errors of what the value is above the even share.
  double margin(std::size_t target) const {
    std::vector<double> above;
    for (const Mass& mass : masses[target]) above.push_back(mass.value - mass.even);
    return 2 * estimate(above).standard_error;
  }
};

/// How evenly the rows spread their weights, as a share of the most, ln(visible): 0 if a single position has all.
inline double entropy_of(View<const double> weights) {
  double sum = 0;
  for (std::size_t t = 1; t < weights.rows; t++) {  // row 0 has no choice
    double entropy = 0;
    for (const double a : std::span(weights.row(t), t + 1)) entropy -= a > 0 ? a * std::log(a) : 0;
    sum += entropy / std::log(t + 1);
  }
  return sum / static_cast<double>(weights.rows - 1);
}

/// Calls visit(h, x, weights) for every head and document. h counts the heads of all layers, x are the tokens, and row
/// t of weights (n,n) says what position t takes from the positions 0 to t.
template <class Visit>
void each_map(Probe& probe, Visit visit) {
  const std::size_t H = probe.config().n_head;
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;  // the maps of a layer's heads stand one below the other: (H*n,n)
    for (std::size_t h = 0; h < H; h++) {
      visit(layer * H + h, Tokens(probe.documents()[document].tokens), weights.slice_rows(h * n, n));
    }
  });
}

}  // namespace lesson21
