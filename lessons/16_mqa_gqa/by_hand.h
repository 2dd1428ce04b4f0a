// Heads as plain numbers, and lesson 11's way back through one of them.
#pragma once

#include "lesson/array.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"

namespace microgpt {

/// The query of one position, (1,H*D), and the keys and values that it sees, (n,G*D). Or the slopes of all these.
struct Heads {
  Array q, k, v;
};

inline Array rows_of(const std::vector<std::vector<double>>& rows) {
  Array array(rows.size(), rows[0].size());
  for (std::size_t n = 0; n < rows.size(); n++) std::copy(rows[n].begin(), rows[n].end(), array[n]);
  return array;
}

/// The same numbers on the tape.
inline Rows values_of(const Array& x) {
  Rows rows;
  for (std::size_t n = 0; n < x.rows; n++) rows.emplace_back(x[n], x[n] + x.cols);
  return rows;
}

/// The weights of query head h, which reads head g, and the slopes of its dot products of queries and keys. dx are the
/// slopes of the D numbers that the head finds. This is lesson 11: dscore = weight * (dweight - mean) / root of D.
inline std::pair<std::vector<double>, std::vector<double>> back_to_scores(const double* dx, const Heads& of,
                                                                          std::size_t h, std::size_t g, std::size_t D) {
  auto dot = [D](const double* a, const double* b) { return std::inner_product(a, a + D, b, 0.0); };
  const double root = std::sqrt(D);
  std::vector<double> scores, dweights;
  for (std::size_t t = 0; t < of.k.rows; t++) {
    scores.push_back(dot(&of.q[0][h * D], &of.k[t][g * D]) / root);
    dweights.push_back(dot(dx, &of.v[t][g * D]));
  }
  const std::vector<double> weights = softmax(scores);
  const double mean = std::inner_product(weights.begin(), weights.end(), dweights.begin(), 0.0);
  std::vector<double> dscores;
  for (std::size_t t = 0; t < weights.size(); t++) dscores.push_back(weights[t] * (dweights[t] - mean) / root);
  return {weights, dscores};
}

}  // namespace microgpt
