// Exercise 16: a cache that does not grow. With a window (--mask local:W) a token sees the last W tokens, itself
// included, and no others. So W rows are room enough: the newest takes the place of the oldest, round and round.
//
//   make exercise-15    fails until Ring is right, and hints at what is missing
//   make solution-15    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/python_random.h"

using namespace microgpt;

using Row = std::vector<double>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The rows, keys or values, of the last `window` tokens.
struct Ring {
  explicit Ring(std::size_t width) : window(width) {}

  /// Keeps the row of the next token.
  void keep(const Row& row) {
    // TODO: this keeps all of them. Which slot is that of the token at position `kept`, if there are `window` slots?
    rows.push_back(row);
    kept++;
  }

  /// The rows of the last `window` tokens or, while there are fewer, of all; the oldest first.
  std::vector<Row> seen() const {
    // TODO: no more than `window` of them, and the oldest first, wherever it stands.
    return rows;
  }

  /// How many rows it takes memory for.
  std::size_t size() const { return rows.size(); }

  std::size_t window;
  std::size_t kept = 0;  // tokens so far
  std::vector<Row> rows;
};
#endif

namespace {

constexpr std::size_t D = 4;

/// Rows that are all different.
std::vector<Row> random_rows(std::size_t num, PythonRandom& random) {
  std::vector<Row> rows(num, Row(D));
  for (Row& row : rows) {
    for (double& number : row) number = random.gauss(0, 1);
  }
  return rows;
}

/// The last `window` of the first `n` rows.
std::vector<Row> last(const std::vector<Row>& rows, std::size_t n, std::size_t window) {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(n);
  return {end - static_cast<std::ptrdiff_t>(std::min(n, window)), end};
}

/// Which tokens' rows these are: "3 4 5", the first token being 0.
std::string tokens_of(const std::vector<Row>& some, const std::vector<Row>& all) {
  std::string tokens;
  for (const Row& row : some) {
    tokens += tokens.empty() ? "" : " ";
    tokens += std::to_string(std::find(all.begin(), all.end(), row) - all.begin());
  }
  return tokens;
}

/// One head: a query, and the keys and values that it sees.
Row attention(const Row& q, const std::vector<Row>& keys, const std::vector<Row>& values) {
  Row out(D);
  double total = 0;
  for (std::size_t t = 0; t < keys.size(); t++) {
    double score = 0;
    for (std::size_t j = 0; j < D; j++) score += q[j] * keys[t][j];
    const double weight = std::exp(score / std::sqrt(D));
    total += weight;
    for (std::size_t j = 0; j < D; j++) out[j] += weight * values[t][j];
  }
  for (double& number : out) number /= total;
  return out;
}

}  // namespace

TEST_CASE("while fewer tokens have come than the window is wide, all are seen") {
  PythonRandom random(1);
  const std::vector<Row> rows = random_rows(5, random);
  Ring ring(5);
  CHECK(ring.seen().empty());
  for (std::size_t n = 1; n <= 5; n++) {
    ring.keep(rows[n - 1]);
    INFO("after " << n << " tokens, with a window of 5");
    CHECK(tokens_of(ring.seen(), rows) == tokens_of(last(rows, n, 5), rows));
  }
}

TEST_CASE("then the last ones are, the oldest first") {
  PythonRandom random(2);
  const std::vector<Row> rows = random_rows(23, random);
  for (const std::size_t window : {1, 2, 5, 7}) {
    Ring ring(window);
    for (std::size_t n = 1; n <= rows.size(); n++) {
      ring.keep(rows[n - 1]);
      INFO("after " << n << " tokens, with a window of " << window << "; hint: token n stands in slot n % window, so "
                    << "when all slots are taken, the oldest is where the next one will go");
      REQUIRE(tokens_of(ring.seen(), rows) == tokens_of(last(rows, n, window), rows));
    }
  }
}

TEST_CASE("it takes no more memory than the window") {
  PythonRandom random(3);
  Ring ring(4);
  for (const Row& row : random_rows(50, random)) ring.keep(row);
  INFO("50 tokens, with a window of 4; hint: write over what nobody can see any more");
  CHECK(ring.size() <= 4);
}

TEST_CASE("attention over two rings is attention with a window over everything") {
  PythonRandom random(4);
  constexpr std::size_t num = 30, window = 6;
  const std::vector<Row> queries = random_rows(num, random), keys = random_rows(num, random);
  const std::vector<Row> values = random_rows(num, random);
  Ring ring_keys(window), ring_values(window);
  for (std::size_t t = 0; t < num; t++) {
    ring_keys.keep(keys[t]);
    ring_values.keep(values[t]);
    INFO("position " << t << "; hint: the first cases must pass first");
    const Row found = attention(queries[t], ring_keys.seen(), ring_values.seen());
    const Row expected = attention(queries[t], last(keys, t + 1, window), last(values, t + 1, window));
    for (std::size_t j = 0; j < D; j++) REQUIRE(found[j] == expected[j]);
  }
}
