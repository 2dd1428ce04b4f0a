#include "tensor/rows.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "fenced.h"
#include "fused.h"

namespace microgpt {
namespace {

/// Every number of lanes around the edges of one vector and of two.
constexpr std::size_t most_numbers = 2 * lanes<float> + 3;

TEST_CASE_TEMPLATE("add_row adds a multiple, rounded once, and touches nothing else", T, float, double) {
  PythonRandom random(1);
  for (std::size_t n = 0; n <= most_numbers; n++) {
    const Fenced<T> from = fenced_input<T>(random, 1, n);
    const Fenced<T> before = fenced_sum<T>(random, 1, n);
    const auto factor = static_cast<T>(uniform(random, -1, 1));
    Fenced<T> to = before;
    add_row(to.view().data, from.view().data, n, factor);
    CHECK(to.intact());
    for (std::size_t j = 0; j < n; j++) {
      CHECK(to.view().data[j] == fused(from.view().data[j], factor, before.view().data[j]));
    }
  }
}

TEST_CASE_TEMPLATE("multiply_row multiplies, and touches nothing else", T, float, double) {
  PythonRandom random(2);
  for (std::size_t n = 0; n <= most_numbers; n++) {
    const Fenced<T> before = fenced_sum<T>(random, 1, n);
    Fenced<T> row = before;
    multiply_row(row.view().data, n, T{3});
    CHECK(row.intact());
    for (std::size_t j = 0; j < n; j++) CHECK(row.view().data[j] == 3 * before.view().data[j]);
  }
}

TEST_CASE_TEMPLATE("dot adds up in each lane what falls to it, then the lanes", T, float, double) {
  PythonRandom random(3);
  for (std::size_t n = 0; n <= most_numbers; n++) {
    const Fenced<T> a = fenced_input<T>(random, 1, n);
    const Fenced<T> b = fenced_input<T>(random, 1, n);
    std::array<T, lanes<T>> sums{};
    for (std::size_t j = 0; j < n; j++) {
      sums[j % lanes<T>] = fused(a.view().data[j], b.view().data[j], sums[j % lanes<T>]);
    }
    CHECK(dot(a.view().data, b.view().data, n) == sum<T>(load(sums.data())));
  }
}

TEST_CASE_TEMPLATE("add_rows adds multiples of rows in their order, each rounded once", T, float, double) {
  PythonRandom random(4);
  const std::vector<std::size_t> rows{3, 0, 3, 2};
  for (std::size_t n = 0; n <= most_numbers; n++) {
    const Fenced<T> x = fenced_input<T>(random, 4, n);
    const Fenced<T> factors = fenced_input<T>(random, 1, rows.size());
    const Fenced<T> before = fenced_sum<T>(random, 1, n);
    Fenced<T> to = before;
    add_rows<T>(to.view().data, x.view(), rows, factors.view().data);
    CHECK(to.intact());
    for (std::size_t j = 0; j < n; j++) {
      T expected = before.view().data[j];
      for (std::size_t c = 0; c < rows.size(); c++) {
        expected = fused(factors.view().data[c], x.view().row(rows[c])[j], expected);
      }
      CHECK(to.view().data[j] == expected);
    }
  }
}

}  // namespace
}  // namespace microgpt
