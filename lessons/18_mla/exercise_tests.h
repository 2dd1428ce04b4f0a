// The tests of exercise 18: the same numbers, then the work they took, then the folded matrix.
#pragma once

#include "lesson/teach.h"

using namespace teach;

/// Numbers that look random, the same on every machine.
inline Rows waves(std::size_t rows, std::size_t cols, double start) {
  Rows x(rows, Row(cols));
  for (Row& row : x) {
    for (double& number : row) number = std::sin(start += 1.7);
  }
  return x;
}

constexpr std::size_t D = 3, L = 5, R = 2, C = 7;  // all different, so that an exchange shows

/// A head, its query, and n positions.
struct Example {
  explicit Example(std::size_t n) : c(waves(n, L, 5)), k_rope(waves(n, R, 6)) {}

  Head head{waves(D, L, 1), waves(D, L, 2)};
  Row q = waves(1, D, 3)[0], r = waves(1, R, 4)[0];
  Rows c, k_rope;

  Row found() const { return attend(head, q, r, c, k_rope); }

  /// What it is, by way of all keys and values, if the query's parts are multiplied by these.
  Row expected(double plain = 1, double rotary = 1) const {
    Row q_times(D), r_times(R);
    add(q_times, plain, q);
    add(r_times, rotary, r);
    return expanded(head, q_times, r_times, c, k_rope);
  }
};

inline void test_numbers() {
  const Example e(6);
  calling("attend() with D = 3, L = 5, R = 2 and six positions",
          "Scores (W_UK^T q) . c plus the rotary part, by the root of D + R; their softmax; W_UV (sum of weight * c).");
  const double of_latent = std::sqrt(double(D + R) / (L + R)), of_key = std::sqrt(double(D + R) / D);
  usual(e.expected(of_latent, of_latent),
        "You divide by the root of L + R. The scores are those of before, so they need the root of before: of D + R.");
  usual(e.expected(of_key, of_key), "You divide by the root of D. A key has R rotary numbers, too: take D + R.");
  usual(e.expected(1, 0), "The rotary part is missing: a score is also r . k_rope.");
  Example other = e;
  other.head.uv = e.head.uk;
  usual(other.expected(), "What was mixed went through W_UK. Values are made by W_UV.");
  const Row found = e.found();
  if (found.size() != D) {
    fail(teach::call + " has " + std::to_string(found.size()) + " numbers, and should have 3.",
         "The mixed c has L numbers. W_UV makes D of them.");
  }
  should_be(found, e.expected());
}

inline void test_products() {
  for (const std::size_t n : {6, 100}) {
    const Example e(n);
    const std::size_t before = products;
    e.found();
    const std::size_t found = products - before, keys = n * D * L, absorbed = n * (L + R) + n * L + 2 * D * L;
    calling("attend() with " + std::to_string(n) + " positions, products",
            "Once for each position: q_latent . c, r . k_rope, and weight * c. All else is needed only once.");
    usual({double(2 * keys + n * R)}, "Keys and values are made for every position. Move W_UK to the query first.");
    usual({double(n * (L + R) + D * L + keys)},
          "One of the two is done, and the other is not: no keys, W_UK goes to the query before the loop; no values, "
          "W_UV waits until the c are mixed.");
    usual({double(keys + n * (L + R) + n * L + D * L)}, "W_UK^T q is the same for all positions. Make it before.");
    if (found + D * L < absorbed) fail(teach::call + ": too few", "Use dot() and add(), which count them.");
    should_be(double(std::max(found, absorbed)), {double(absorbed)});
  }
}

inline void test_folded() {
  const Rows wq = waves(D, C, 7), uk = waves(D, L, 8);
  const Row x = waves(1, C, 9)[0];
  calling("folded() of W_Q (3,7) and W_UK (3,5): how many rows and columns",
          "x has 7 numbers, and c has 5. A sum goes over the D = 3 rows that both matrices have.");
  const Rows w = folded(wq, uk);
  usual({7, 5}, "Rows and columns are exchanged: x with 7 numbers goes in, and 5 come out.");
  should_be(Numbers{double(w.size()), double(w.empty() ? 0 : w[0].size())}, {5, 7});
  Row q, want(L), got;
  for (const Row& row : wq) q.push_back(dot(row, x));
  for (std::size_t i = 0; i < D; i++) add(want, q[i], uk[i]);
  for (const Row& row : w) got.push_back(dot(row, x));
  calling("folded() x", "Row l of the folded matrix is the sum over i of uk[i][l] * row i of W_Q.");
  usual(Row(L), "The matrix is 0.");
  should_be(got, want);
}

inline void test_report() {
  const Example e(1000);
  const std::size_t start = products;
  expanded(e.head, e.q, e.r, e.c, e.k_rope);
  const std::size_t between = products;
  e.found();
  std::printf("products of a head for the 1000th position: %zu expanded, %zu absorbed\n", between - start,
              products - between);
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv, {test_numbers, test_products, test_folded, test_report});
}
