// The tests of exercise 10: a small mask, attention of three rows on paper, and what a mask costs.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"

using namespace teach;

inline void test_mask() {
  calling("document_mask() of rows that belong to the names 0, 1, 1 and 1",
          "Rows 1, 2 and 3 are the second name. Row 2 sees rows 1 and 2.");
  usual({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, "Rows see other names: all that is before them.");
  usual({1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}, "Rows see their whole name, also what comes after them.");
  should_be(document_mask({0, 1, 1, 1}).data, {1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1});
}

inline void test_attention() {
  Array q(3, 2), k(3, 2), v(3, 2), mask(3, 3);  // two names, of 1 and 2 rows
  q.data = {2, 0, 0, 1, 1, 2};
  k.data = {1, 0, 0, 1, 1, 1};
  v.data = {4, 0, 0, 2, 2, 2};
  mask.data = {1, 0, 0, 0, 1, 0, 0, 1, 1};
  auto last = [](const Numbers& w) { return Numbers{4 * w[0] + 2 * w[2], 2 * w[1] + 2 * w[2]}; };
  auto row_2 = [](const Array& out) { return Numbers(out[2], out[2] + 2); };
  auto weights = [root = std::sqrt(2)](double first) { return softmax(Numbers{first, 2 / root, 3 / root}); };
  const Numbers all = weights(std::sqrt(0.5)), right = last(weights(-INFINITY));
  calling("masked_attention() of q (2 0) (0 1) (1 2), k (1 0) (0 1) (1 1), v (4 0) (0 2) (2 2), the last row",
          "Row 2 adds up the values of rows 1 and 2, by weight. Its scores are 2 and 3, divided by the root of 2.");
  usual(last({0, all[1], all[2]}), "Weights were set to 0 after the softmax, so the rest do not sum to 1.");
  usual(last(weights(0)), "A score times 0 is 0, and exp(0) is 1. Which score has an exp of 0?");
  usual(last(softmax(Numbers{-INFINITY, 2, 3})), "The scores were not divided by the root of D.");
  usual({2, 2}, "That is row 2 of v alone. Is it v[s], by weight? What row t sees stands in row t of the mask.");
  should_be(row_2(masked_attention(q, k, v, mask)), right);
  k.data = {10000, 10000, -1000, 1, -999, 1};
  calling("The same with k (10000 10000) (-1000 1) (-999 1), all rows", "Row 2 never sees row 0. exp(14142) is inf.");
  usual({4, 0, 0, 2, 4, 0}, "Scores that count are below that of row 0. Which score is below all?");
  usual(Numbers(6, NAN), "exp() of a large score is inf, and inf * 0 is nan. What is to go, goes before exp().");
  usual({4, 0, NAN, NAN, NAN, NAN}, "exp() of that score made all others 0. Put the mask before the softmax.");
  should_be(masked_attention(q, k, v, mask).data, {4, 0, 0, 2, right[0], right[1]});
}

/// rosimeire, chrissa and rod: 10, 8 and 4 rows.
inline void show() {
  const Array mask = document_mask({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2});
  for (std::size_t i = 0; i < mask.data.size(); i++) {
    fmt::print("{}{}", mask.data[i] == 1 ? "██" : "  ", (i + 1) % mask.cols == 0 ? "\n" : "");
  }
  fmt::print("scores computed: {}, used: {}\n", mask.data.size(), std::count(mask.data.begin(), mask.data.end(), 1));
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_mask, test_attention, show}); }
