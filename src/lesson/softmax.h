// Softmax of lesson 07, on plain numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace microgpt {

/// A query's weights from the scores of the keys that it sees, of which there must be at least one.
inline std::vector<double> softmax(std::vector<double> scores) {
  const double max_score = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - max_score);
  for (double& score : scores) score /= total;
  return scores;
}

}  // namespace microgpt
