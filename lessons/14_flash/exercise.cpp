// Exercise 14: flash attention with a tile of several queries. Here it stands for one query at a time: each query reads
// all keys and values that it sees, from memory that is large and slow. The numbers are right, and the memory is read
// far too often. Make several queries share what is read.
//
// make exercise-14 says the first thing that is wrong; make hint L=14 gives a hint, then another, then a solution.
#include <cmath>
#include <limits>
#include <numeric>

#include "lesson/array.h"

using namespace microgpt;

/// Slow memory: (T,D) numbers, and how many rows were read.
struct Slow {
  Array numbers;
  mutable std::size_t rows_read = 0;

  /// Up to n rows from `first` on, copied to fast memory.
  Array read(std::size_t first, std::size_t n) const {
    Array tile(std::min(n, numbers.rows - first), numbers.cols);
    std::copy_n(numbers[first], tile.data.size(), tile[0]);
    rows_read += tile.rows;
    return tile;
  }
};

/// What a query has found so far, from the keys that it has seen so far.
struct Found {
  double most = -std::numeric_limits<double>::infinity();  // the largest score
  double total = 0;                                        // the sum of exp(score - most)
  std::vector<double> mixed;                               // (D) the sum of exp(score - most) * value

  /// One more key, with its value.
  void take(double score, const double* value) {
    const double before = most;
    most = std::max(most, score);
    const double shrink = std::exp(before - most), weight = std::exp(score - most);
    total = total * shrink + weight;
    for (std::size_t j = 0; j < mixed.size(); j++) mixed[j] = mixed[j] * shrink + weight * value[j];
  }
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Causal attention of one head, (T,D). Fast memory has room for a tile of `num_queries` queries, with what they found,
/// and for one tile of `num_keys` keys and values. Each of q, k and v is to be read as rarely as that allows.
Array flash(const Slow& q, const Slow& k, const Slow& v, [[maybe_unused]] std::size_t num_queries,
            std::size_t num_keys) {
  const std::size_t T = q.numbers.rows, D = q.numbers.cols;
  Array out(T, D);
  for (std::size_t t = 0; t < T; t++) {  // TODO: a tile of queries at a time
    const Array query = q.read(t, 1);
    Found found{.mixed = std::vector<double>(D)};
    for (std::size_t s = 0; s <= t; s += num_keys) {
      const Array keys = k.read(s, num_keys), values = v.read(s, num_keys);
      for (std::size_t j = 0; j < keys.rows && s + j <= t; j++) {
        found.take(std::inner_product(keys[j], keys[j] + D, query[0], 0.0) / std::sqrt(D), values[j]);
      }
    }
    for (std::size_t j = 0; j < D; j++) out[t][j] = found.mixed[j] / found.total;
  }
  return out;
}
#endif

#include "exercise_tests.h"
