// Exercise 17: rotating back. Training needs it: the slope of a rotated query has to become the slope of the query. And
// a full cache needs it: the oldest keys are dropped, the others should count from 0 again, and they are kept rotated.
//
// make exercise-17 says the first thing that is wrong; make hint L=17 gives a hint, then another, then a solution.
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// A query or a key of one head: D numbers, an even number of them.
using Row = std::vector<double>;

/// By how many radians a position rotates pair i, which are the numbers 2 i and 2 i + 1.
double speed(std::size_t i, std::size_t D) {
  return std::pow(10000, -2 * static_cast<double>(i) / static_cast<double>(D));
}

/// x, rotated as at this position.
Row rotate(const Row& x, std::size_t position) {
  Row y(x.size());
  for (std::size_t i = 0; i < x.size() / 2; i++) {
    const double angle = static_cast<double>(position) * speed(i, x.size());
    y[2 * i] = x[2 * i] * std::cos(angle) - x[2 * i + 1] * std::sin(angle);
    y[2 * i + 1] = x[2 * i] * std::sin(angle) + x[2 * i + 1] * std::cos(angle);
  }
  return y;
}

double dot(const Row& a, const Row& b) {
  double total = 0;
  for (std::size_t j = 0; j < a.size(); j++) total += a[j] * b[j];
  return total;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The slopes of x, if dy are the slopes of rotate(x, position).
Row rotate_backward(const Row& dy, [[maybe_unused]] std::size_t position) {
  return dy;  // TODO: both numbers of a pair act on both numbers that come out
}

/// The slopes of q and of k, if dscore is the slope of dot(rotate(q, at_q), rotate(k, at_k)).
std::pair<Row, Row> score_backward(const Row& q, [[maybe_unused]] std::size_t at_q, const Row& k,
                                   [[maybe_unused]] std::size_t at_k, [[maybe_unused]] double dscore) {
  return {Row(q.size()), Row(k.size())};  // TODO
}

/// The keys of positions n, n + 1, ... are kept: kept[0] is that of position n, and each is rotated as at its own.
/// Returns the same keys, rotated as at the positions 0, 1, ... The keys before rotation are not known any more.
std::vector<Row> renumber(std::vector<Row> kept, [[maybe_unused]] std::size_t n) {
  return kept;  // TODO
}
#endif

#include "exercise_tests.h"
