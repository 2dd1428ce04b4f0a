#include "tensor/attention_weights.h"

#include <doctest/doctest.h>

#include <cmath>

#include "random_numbers.h"

namespace microgpt {
namespace {

TEST_CASE("attention weights: each row sums to 1, and is zero where the mask hides a key") {
  const Mask mask = Mask::table(5, 6, [](std::size_t t, std::size_t s) { return t != 3 && s != 1 && s <= t + 1; });
  PythonRandom random(9);
  const Tensor<double> q = random_tensor<double>(4, 12, random);
  const Tensor<double> k = random_tensor<double>(6, 6, random);
  const std::size_t first_query = 1;
  const AttentionShape shape{.n_head = 4, .n_kv_head = 2, .key_dim = 3, .value_dim = 5};
  const auto call = AttentionCall<double>::of(shape, q.view(), k.view(), {}, mask, first_query);
  const Tensor<double> weights = attention_weights(call);
  REQUIRE(weights.view().rows == 4 * 4);
  REQUIRE(weights.view().cols == 6);
  for (std::size_t row = 0; row < 16; row++) {
    double total = 0;
    for (std::size_t s = 0; s < 6; s++) {
      const double weight = weights.view().row(row)[s];
      CHECK((weight > 0) == mask.allows(first_query + row % 4, s));
      total += weight;
    }
    // Six roundings of weights and six of their sum, 1.1e-16 each. The query at position 3 sees nothing.
    CHECK(std::abs(total - (row % 4 == 2 ? 0 : 1)) < 12 * 1.2e-16);
  }
}

}  // namespace
}  // namespace microgpt
