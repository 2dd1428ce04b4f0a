#include "tensor/simd.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "fenced.h"
#include "fused.h"

namespace microgpt {
namespace {

/// Every number of lanes around the edges of one vector and of two.
constexpr std::size_t most_numbers = 2 * lanes<float> + 3;

TEST_CASE_TEMPLATE("rows are added to and multiplied, each step rounded once, and nothing else is touched", T, float,
                   double) {
  PythonRandom random(1);
  const std::vector<std::size_t> rows{3, 0, 3, 2};  // of x, to be added in this order
  for (std::size_t n = 0; n <= most_numbers; n++) {
    const Fenced<T> x = fenced_input<T>(random, 4, n);
    const Fenced<T> factors = fenced_input<T>(random, 1, rows.size());
    const T* const factor = factors.view().data;
    const Fenced<T> before = fenced_sum<T>(random, 1, n);
    Fenced<T> one_added = before;
    add_row(one_added.view().data, x.view().data, n, factor[0]);
    Fenced<T> all_added = before;
    add_rows<T>(all_added.view().data, x.view(), rows, factor);
    Fenced<T> multiplied = before;
    multiply_row(multiplied.view().data, n, T{3});
    for (const Fenced<T>* changed : {&one_added, &all_added, &multiplied}) CHECK(changed->intact());
    for (std::size_t j = 0; j < n; j++) {
      const T number = before.view().data[j];
      CHECK(one_added.view().data[j] == fused(x.view().data[j], factor[0], number));
      T sum = number;
      for (std::size_t c = 0; c < rows.size(); c++) sum = fused(factor[c], x.view().row(rows[c])[j], sum);
      CHECK(all_added.view().data[j] == sum);
      CHECK(multiplied.view().data[j] == 3 * number);
    }
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

}  // namespace
}  // namespace microgpt
