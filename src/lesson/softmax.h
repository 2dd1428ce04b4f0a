// Softmax on plain numbers, as lesson 02 explains it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace microgpt {

/// Scores to shares: positive, in the same order, with a sum of 1. The largest is subtracted first so that exp cannot
/// overflow; that changes no share. There must be at least one score.
inline std::vector<double> softmax(std::vector<double> scores) {
  const double max_score = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - max_score);
  for (double& score : scores) score /= total;
  return scores;
}

}  // namespace microgpt
