// Exercise 06: a whole name at once. main.cpp looks back one position at a time, and what comes later does not exist
// yet. Programs for large machines compute all positions together; then a mask must hide what comes later.
//
//   make exercise-07    fails until causal_weights() is right, and hints at what is missing
//   make solution-07    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/python_random.h"
#include "scalar/ops.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Row t is how position t shares its attention among all n positions: (n, n). queries and keys are (n, head_dim).
std::vector<Values> causal_weights(const std::vector<Values>& queries, const std::vector<Values>& keys) {
  std::vector<Values> rows;
  for (const Values& query : queries) {
    // TODO: two things are missing here.
    // 1. Each score is divided by the square root of head_dim, the length of a query.
    // 2. A position must not see what comes after it. Scores of later positions become -INFINITY: exp makes that 0.
    const Values scores(keys.size(), [&](std::size_t t) { return dot(query, keys[t]); });
    rows.push_back(softmax(scores));
  }
  return rows;
}
#endif

constexpr std::size_t num_positions = 5;
constexpr std::size_t head_dim = 4;

/// Random queries or keys, (num_positions, head_dim).
std::vector<Values> make_positions(std::uint64_t seed) {
  PythonRandom random(seed);
  std::vector<Values> positions;
  for (std::size_t t = 0; t < num_positions; t++)
    positions.emplace_back(head_dim, [&](std::size_t) { return random.gauss(0, 1); });
  return positions;
}

TEST_CASE("scores are divided by the square root of head_dim") {
  const Scope scope;
  const std::vector<Values> keys{Values(head_dim, [](std::size_t j) { return j == 0 ? 1.0 : 0.0; }),
                                 Values(head_dim, [](std::size_t j) { return j == 1 ? 1.0 : 0.0; })};
  const Values query(head_dim, [](std::size_t j) { return j == 0 ? 2.0 : 0.0; });  // agrees with the first key: 2
  const std::vector<Values> weights = causal_weights({query, query}, keys);
  const double e = std::exp(1.0);
  INFO("hint: the scores of the last position are 2 and 0; the root of 4 is 2, so softmax should be given 1 and 0");
  CHECK(weights[1][0].data() == doctest::Approx(e / (e + 1)));
}

TEST_CASE("no position sees what comes after it") {
  const Scope scope;
  const std::vector<Values> weights = causal_weights(make_positions(1), make_positions(2));
  for (std::size_t t = 0; t < num_positions; t++) {
    for (std::size_t later = t + 1; later < num_positions; later++) {
      INFO("position " << t << " looks at position " << later << ", which comes later; hint: if you wrote a mask, is "
                       << "its result what goes into softmax?");
      REQUIRE(weights[t][later].data() == 0);
    }
  }
}

TEST_CASE("every row is a whole: its weights sum to 1") {
  const Scope scope;
  for (const Values& row : causal_weights(make_positions(1), make_positions(2))) {
    INFO("hint: hide the later scores before softmax; weights set to 0 after it leave a row that is too small");
    REQUIRE(sum(row).data() == doctest::Approx(1));
  }
}

TEST_CASE("a mask does what was done without one: look at the positions so far, one at a time") {
  const Scope scope;
  const std::vector<Values> queries = make_positions(1);
  const std::vector<Values> keys = make_positions(2);
  const std::vector<Values> weights = causal_weights(queries, keys);
  for (std::size_t t = 0; t < num_positions; t++) {
    const Values so_far = softmax(Values(t + 1, [&](std::size_t i) { return dot(queries[t], keys[i]) / 2.0; }));
    for (std::size_t i = 0; i <= t; i++) {
      INFO("position " << t << " looking at position " << i << "; hint: the first two cases must pass first");
      REQUIRE(weights[t][i].data() == doctest::Approx(so_far[i].data()));
    }
  }
}

TEST_CASE("later positions give gradient to earlier keys, and no position to later keys") {
  const Scope scope;
  const std::vector<Values> keys = make_positions(2);
  causal_weights(make_positions(1), keys)[2][0].backward();
  for (std::size_t t = 0; t < num_positions; t++) {
    INFO("the weights of position 2, and key " << t << "; hint: mask what comes later, and leave the rest as Values");
    CHECK((keys[t][0].grad() != 0) == (t <= 2));
  }
}
