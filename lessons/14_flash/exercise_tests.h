// The tests of exercise 14: the numbers first, then how often each row was read.
#pragma once

#include "lesson/softmax.h"
#include "lesson/teach.h"

using namespace teach;

/// Attention with all scores at once. Query t sees the keys 0 to last(t).
template <class Last>
std::vector<double> attention(const Slow& q, const Slow& k, const Slow& v, Last last) {
  Array out(q.numbers.rows, 3);
  for (std::size_t t = 0; t < out.rows; t++) {
    std::vector<double> weights;
    for (std::size_t s = 0; s <= std::min(last(t), out.rows - 1); s++) {
      weights.push_back(std::inner_product(k.numbers[s], k.numbers[s] + 3, q.numbers[t], 0.0) / std::sqrt(3));
    }
    weights = softmax(weights);
    for (std::size_t s = 0; s < weights.size(); s++) {
      for (std::size_t j = 0; j < 3; j++) out[t][j] += weights[s] * v.numbers[s][j];
    }
  }
  return out.data;
}

inline void test_numbers() {
  const Slow q{waves(11, 3, 1)}, k{waves(11, 3, 2)}, v{waves(11, 3, 3)};
  const std::vector<double> want = attention(q, k, v, [](std::size_t t) { return t; });
  calling("flash() of 11 positions, in tiles of 4 queries and 3 keys",
          "Query i of the tile that begins at t sees the keys 0 to t + i, and fills row t + i. The last tile has "
          "fewer. Each has a Found of its own. Read all keys that the last query sees. Divide scores by the root of D, "
          "and what is found by the total. accumulate() and inner_product() from 0, not 0.0, add whole numbers.");
  usual(attention(q, k, v, [](std::size_t t) { return t / 4 * 4; }),
        "All queries of a tile see only what its first one sees. Query i is at position t + i.");
  usual(attention(q, k, v, [](std::size_t t) { return t / 4 * 4 + 3; }),
        "All queries of a tile see what its last one sees: some look ahead. Query i is at position t + i.");
  usual(attention(q, k, v, [](std::size_t t) { return (t / 4 * 4 + 3) / 3 * 3 + 2; }),
        "A query takes all keys that were read for its tile. It may see those up to its own position.");
  std::vector<double> begin = want;
  std::fill(begin.begin() + 24, begin.end(), 0);
  usual(begin, "The last three queries have no answer. Their tile is shorter than the others, and it counts as well.");
  should_be(flash(q, k, v, 4, 3).data, want);
  calling("flash() of 11 positions, in tiles of 2 queries and 5 keys", "As many values are read as keys: read(s, n).");
  should_be(flash(q, k, v, 2, 5).data, want);
}

inline void test_reads() {
  const Slow q{waves(12, 3, 1)}, k{waves(12, 3, 2)}, v{waves(12, 3, 3)};
  flash(q, k, v, 4, 4);
  calling("flash() of 12 positions, in tiles of 4 queries and 4 keys: rows of q read", "Each query is needed once.");
  should_be(double(q.rows_read), {12});
  // Three tiles of queries need the keys 0 to 3, 0 to 7, and 0 to 11.
  calling("flash() of 12 positions, in tiles of 4 queries and 4 keys: rows of k and v read",
          "They are needed once by each of the three tiles of queries, as far as its last query sees.");
  usual({192}, "Every query reads the keys for itself. Let all queries of a tile use a tile of keys before the next.");
  for (const double more : {64, 72}) {
    usual({more}, "Keys are read that no query of the tile may see: stop behind the last query of the tile.");
  }
  should_be(std::max(double(k.rows_read + v.rows_read), 48.0), {48});  // fewer, if the last tile is kept: welcome
}

inline void test_report() {
  std::printf("1,000 positions, tiles of 50 keys; rows of k and v that are read:\n");
  for (const std::size_t queries : {1, 10, 100, 1000}) {
    const Slow q{waves(1000, 3, 1)}, k{waves(1000, 3, 2)}, v{waves(1000, 3, 3)};
    flash(q, k, v, queries, 50);
    std::printf("  queries at a time: %4zu  %7zu\n", queries, k.rows_read + v.rows_read);
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_numbers, test_reads, test_report}); }
