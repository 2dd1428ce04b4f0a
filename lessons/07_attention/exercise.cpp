// Exercise 07: a whole name at once. main.cpp looks back one position at a time, and what comes later does not exist
// yet. Programs for large machines compute all positions together. Then later keys are there from the start, and a mask
// must hide them. The rest of the row must still be what a position alone would have computed.
//
//   make exercise-07    fails until attend_all() is right, and hints at what is missing
//   make solution-07    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/python_random.h"
#include "draw/plot.h"
#include "microgpt.h"

using namespace microgpt;

/// One of each for every position. Lists of n lists of D numbers.
struct Positions {
  std::vector<Values> queries, keys, values;
};

/// What attention makes of them.
struct Attended {
  std::vector<Values> weights;   // (n,n): row t is how position t shares itself out among all n
  std::vector<Values> mixtures;  // (n,D): row t is what it found
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Attention of all positions at once. Position t must see the positions 0 to t, and no others.
Attended attend_all(const Positions& p) {
  // TODO: these weights are even, and look into the future.
  const std::size_t n = p.keys.size();
  Attended all;
  for (std::size_t t = 0; t < n; t++) {
    all.weights.push_back(Values(n, [&](std::size_t) { return 1.0 / static_cast<double>(n); }));
    all.mixtures.push_back(p.values[t]);
  }
  return all;
}
#endif

namespace {

constexpr std::size_t num_positions = 6;
constexpr std::size_t head_dim = 4;

Positions random_positions(double size = 1) {
  PythonRandom random(1);
  auto make = [&] {
    std::vector<Values> lists;
    for (std::size_t t = 0; t < num_positions; t++)
      lists.emplace_back(head_dim, [&](std::size_t) { return random.gauss(0, size); });
    return lists;
  };
  Positions p;
  p.queries = make();
  p.keys = make();
  p.values = make();
  return p;
}

}  // namespace

TEST_CASE("the example of the lesson: a query that comes last sees all three keys") {
  const Scope scope;
  auto list = [](double a, double b) { return Values(2, [&](std::size_t i) { return i == 0 ? a : b; }); };
  const Positions p{
      {list(0, 0), list(0, 0), list(1, 2)}, {list(1, 0), list(0, 1), list(1, 1)}, {list(4, 0), list(0, 2), list(2, 2)}};
  const Attended all = attend_all(p);
  INFO("hint: the scores are 1, 2 and 3; divided by the root of 2, then softmax");
  CHECK(all.weights[2][2].data() == doctest::Approx(0.576).epsilon(0.001));
  CHECK(all.mixtures[2][0].data() == doctest::Approx(1.712).epsilon(0.001));
}

TEST_CASE("no position sees what comes after it") {
  const Scope scope;
  const Attended all = attend_all(random_positions());
  for (std::size_t t = 0; t < num_positions; t++) {
    REQUIRE(all.weights[t].size() == num_positions);
    for (std::size_t later = t + 1; later < num_positions; later++) {
      INFO("position " << t << " looks at position " << later
                       << ", which comes later; hint: exp(-INFINITY) is 0. If you "
                       << "wrote a mask: is its result what goes into softmax?");
      REQUIRE(all.weights[t][later].data() == 0);
    }
  }
}

TEST_CASE("every row is a whole: its weights sum to 1") {
  const Scope scope;
  for (const Values& row : attend_all(random_positions()).weights) {
    INFO("hint: hide the later scores before softmax; weights set to 0 after it leave a row that is too small");
    REQUIRE(sum(row).data() == doctest::Approx(1));
  }
}

TEST_CASE("the scores of one position may all be far below 0") {
  const Scope scope;
  Positions p = random_positions();
  p.keys = std::vector<Values>(num_positions, Values(head_dim, [](std::size_t) { return -1000.0; }));
  p.queries = std::vector<Values>(num_positions, Values(head_dim, [](std::size_t) { return 1.0; }));
  INFO("hint: multiplying a score by 0 does not hide it: 0 may be the largest score of the row");
  CHECK(attend_all(p).weights[1][0].data() == doctest::Approx(0.5));
}

TEST_CASE("the first positions do not change when others come after them") {
  const Scope scope;
  const Positions p = random_positions();
  Positions first = p;
  for (std::vector<Values>* lists : {&first.queries, &first.keys, &first.values}) lists->resize(3);
  const Attended all = attend_all(p), part = attend_all(first);
  for (std::size_t t = 0; t < 3; t++) {
    for (std::size_t j = 0; j < head_dim; j++) {
      INFO("position " << t << "; hint: which values does row t of the mixtures add up, and with which weights?");
      REQUIRE(all.mixtures[t][j].data() == doctest::Approx(part.mixtures[t][j].data()));
    }
  }
}

TEST_CASE("what position 2 found gives gradient to the keys and values up to 2, and to no later ones") {
  const Scope scope;
  const Positions p = random_positions();
  attend_all(p).mixtures[2][0].backward();
  for (std::size_t t = 0; t < num_positions; t++) {
    INFO("position " << t << "; hint: mask what comes later, and leave the rest as Values");
    CHECK((p.keys[t][0].grad() != 0) == (t <= 2));
    CHECK((p.values[t][0].grad() != 0) == (t <= 2));
  }
  const Attended all = attend_all(random_positions(1.5));
  Grid grid;
  for (std::size_t t = 0; t < num_positions; t++) {
    grid.row_labels.push_back(std::to_string(t));
    grid.col_labels.push_back(std::to_string(t));
    grid.rows.push_back(all.weights[t].data());
  }
  fmt::print("\nrow t: where position t looks\n{}", shades(grid));
}
