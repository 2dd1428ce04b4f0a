// Exercise 11: the way back through attention, by hand, with something new on the way. Some models (T5 was the first)
// add a number to each score that depends only on how far back the head looks: bias[0] for itself, bias[1] for the
// position before, and so on. These numbers are learnt. Here is one head of one name.
//
// make exercise-11 says the first thing that is wrong; make hint L=11 gives a hint, then another, then a solution.
#include <cmath>

#include "lesson/array.h"
#include "lesson/softmax.h"

using namespace microgpt;

/// Queries, keys and values, (T,D) each, and a bias for each distance, (1,T). Or the slopes of all these.
struct Head {
  Array q, k, v, bias;
};

/// The weight that position t gives to s, (T,T): softmax over s = 0 to t of q[t] . k[s] / root of D + bias[t - s].
Array weights_of(const Head& a) {
  Array weights(a.q.rows, a.q.rows);
  for (std::size_t t = 0; t < a.q.rows; t++) {
    std::vector<double> scores;
    for (std::size_t s = 0; s <= t; s++) {
      double score = 0;
      for (std::size_t j = 0; j < a.q.cols; j++) score += a.q[t][j] * a.k[s][j];
      scores.push_back(score / std::sqrt(a.q.cols) + a.bias[0][t - s]);
    }
    scores = softmax(scores);
    std::copy(scores.begin(), scores.end(), weights[t]);
  }
  return weights;
}

/// What each position finds, (T,D): out[t] = sum of weights[t][s] * v[s].
Array mixed(const Array& weights, const Array& v) {
  Array out(v.rows, v.cols);
  for (std::size_t t = 0; t < v.rows; t++) {
    for (std::size_t s = 0; s <= t; s++) {
      for (std::size_t j = 0; j < v.cols; j++) out[t][j] += weights[t][s] * v[s][j];
    }
  }
  return out;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The slopes of q, k, v and bias. dout (T,D) are the slopes of mixed(weights_of(a), a.v).
Head attention_backward([[maybe_unused]] const Array& dout, const Head& a) {
  const std::size_t T = a.q.rows, D = a.q.cols;
  Head d{Array(T, D), Array(T, D), Array(T, D), Array(1, T)};  // all 0
  // TODO: one step back at a time, the last one first: out = weights v, weights = softmax(scores), and the scores.
  return d;
}
#endif

#include "exercise_tests.h"
