// Lesson 06's softmax once more, of plain numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace microgpt {

/// The weights of a query, from the scores of the keys that it sees: at least one.
inline std::vector<double> softmax(std::vector<double> scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - most);
  for (double& score : scores) score /= total;
  return scores;
}

}  // namespace microgpt
