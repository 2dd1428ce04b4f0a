// The tests of exercise 07: three positions on paper, and a picture of who looks where.
#pragma once

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/softmax.h"
#include "lesson/teach.h"

using namespace teach;

inline void test_paper() {
  const Scope scope;
  const Lists queries{{2, 0}, {0, 1}, {1, 2}}, keys{{1, 0}, {0, 1}, {1, 1}}, values{{4, 0}, {0, 2}, {2, 2}};
  auto mixed = [](const Numbers& scores) {
    const Numbers weights = softmax(scores);
    return Numbers{4 * weights[0] + 2 * weights[2], 2 * weights[1] + 2 * weights[2]};
  };
  const double root = std::sqrt(2);
  calling("attend_all() of queries (2 0) (0 1) (1 2), keys (1 0) (0 1) (1 1), values (4 0) (0 2) (2 2), the last row",
          "The last position sees all. Its scores are 1, 2, 3, divided by the root of 2: the example of the lesson.");
  usual({2, 2}, "That is its own value. It should be a mixture of all three values.");
  usual(mixed({1, 2, 3}), "The scores were not divided by the root of D, which is the root of 2 here.");
  usual(mixed({0, 0, 0}), "All weights are even. Do they come from softmax() of the scores?");
  usual(mixed({1 / root, 2 / root, -INFINITY}), "It does not see itself. Position t sees the positions 0 to t.");
  const Lists found = attend_all(queries, keys, values);
  should_be(found.back().data(), mixed({1 / root, 2 / root, 3 / root}));
  calling("The same, the second row", "Its scores are 0 and 1, divided by the root of 2. The third key comes later.");
  const Numbers unmasked = softmax(Numbers{0, 1 / root, 1 / root});
  usual(mixed({0, 1 / root, 1 / root}), "It sees all three keys. The third comes later, and must be hidden.");
  usual({4 * unmasked[0], 2 * unmasked[1]},
        "The third weight was set to 0 after softmax(), so the others do not sum to 1. Hide its score before.");
  usual(mixed({0, 1 / root, 0}), "The third score is 0, and exp(0) is 1. Which score has an exp() of 0?");
  should_be(found[1].data(), mixed({0, 1 / root, -INFINITY}));
  calling(
      "The same, then backward() from the first number of the last row: keys[s][0].grad() for s = 0, 1, 2",
      "As in lesson 06: the weight, times what is missing; here also times queries[2][0], and divided by the root.");
  usual({0, 0, 0}, "No gradient arrives. Make scores and weights of Values, and nothing of their data().");
  found[2][0].backward();
  Numbers slopes = softmax(Numbers{1 / root, 2 / root, 3 / root});
  for (std::size_t s : {0, 1, 2}) slopes[s] *= (values[s][0].data() - found[2][0].data()) / root;
  should_be(Numbers{keys[0][0].grad(), keys[1][0].grad(), keys[2][0].grad()}, slopes);
}

/// If value s is 1 at place s, and 0 elsewhere, then what a position finds are its weights.
inline void show() {
  const Scope scope;
  PythonRandom random(1);
  auto lists = [](auto number) {
    Lists all;
    for (std::size_t t = 0; t < 6; t++) all.emplace_back(6, [&](std::size_t j) { return number(t, j); });
    return all;
  };
  auto drawn = [&](std::size_t, std::size_t) { return random.gauss(0, 1.5); };
  const Lists queries = lists(drawn), keys = lists(drawn);
  const Lists ones = lists([](std::size_t t, std::size_t j) { return t == j ? 1.0 : 0.0; });
  Grid grid{{"0", "1", "2", "3", "4", "5"}, {"0", "1", "2", "3", "4", "5"}, {}};
  for (const Values& row : attend_all(queries, keys, ones)) grid.rows.push_back(row.data());
  fmt::print("row t: where position t looks\n{}", shades(grid));
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_paper, show}); }
