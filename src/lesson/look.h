// One head at one position, on the rows of a batch: how much it takes of each row that it sees. Lessons 07 and 08 in
// plain numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "lesson/array.h"
#include "lesson/softmax.h"

namespace microgpt {

/// Row t looks at the rows `first` to t, in the columns hs to hs + D - 1 of its head.
struct Look {
  std::size_t first, t, hs, D;
};

/// softmax(q k^T / sqrt(D)): a weight for each row from `first` to t.
inline std::vector<double> weights_of(const Array& q, const Array& k, const Look& at) {
  std::vector<double> scores;
  for (std::size_t s = at.first; s <= at.t; s++) {
    double score = 0;
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) score += q[at.t][j] * k[s][j];
    scores.push_back(score / std::sqrt(at.D));
  }
  return softmax(scores);
}

}  // namespace microgpt
