// Exercise 10: the other half of splitting, and a mask. merge_heads() of heads.h is a transpose and a reshape; written
// out it is a single formula for where each number goes. And a padded batch of names needs a mask that hides two things
// at once: what comes later, and what is padding.
//
//   make exercise-12    fails until both functions are right, and hints at what is missing
//   make solution-12    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include "compare.h"

using namespace lesson10;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The numbers of an array (B,H,N,D) in the order of (B,N,C), where C = H * D. Without reshape and transpose.
std::vector<double> merge_by_formula(const std::vector<double>& x, [[maybe_unused]] std::size_t B,
                                     [[maybe_unused]] std::size_t H, [[maybe_unused]] std::size_t N,
                                     [[maybe_unused]] std::size_t D) {
  std::vector<double> y = x;
  // TODO: x[b][h][n][j] is x[((b * H + h) * N + n) * D + j]. It becomes y[b][n][h * D + j]: where is that?
  return y;
}

/// (B,1,N,N): 1 where a query (third index) may see a key (fourth), else 0. Document b has lengths[b] positions, at
/// least one; those after them, up to N, are padding.
Array<double> causal_padding_mask(const std::vector<std::size_t>& lengths, std::size_t N) {
  const Shape shape{lengths.size(), 1, N, N};
  // TODO: everybody sees everything here.
  return {shape, std::vector<double>(size_of(shape), 1.0)};
}
#endif

namespace {

std::vector<double> random_numbers(std::size_t n) {
  PythonRandom random(1);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < n; i++) numbers.push_back(random.gauss(0, 1));
  return numbers;
}

}  // namespace

TEST_CASE("two heads of two numbers, three positions") {
  // Head 0 is 00 01 | 10 11 | 20 21, head 1 is 02 03 | 12 13 | 22 23.
  const std::vector<double> heads{0, 1, 10, 11, 20, 21, 2, 3, 12, 13, 22, 23};
  INFO("hint: position 0 must come out as 0 1 2 3: the numbers of head 0, then those of head 1");
  CHECK(merge_by_formula(heads, 1, 2, 3, 2) == std::vector<double>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
}

TEST_CASE("merge_by_formula undoes split_heads, for any shape") {
  const Array<double> x{{2, 4, 15}, random_numbers(120)};
  INFO("hint: B, H, N and D all differ here; y[b][n][c] is y[(b * N + n) * C + c], with C = H * D");
  CHECK(merge_by_formula(split_heads(x, 3).numbers, 2, 3, 4, 5) == x.numbers);
}

TEST_CASE("the mask hides what comes later and what is padding, and nothing else") {
  const std::vector<std::size_t> lengths{3, 1, 2};
  const Array<double> mask = causal_padding_mask(lengths, 4);
  REQUIRE(mask.shape == Shape{3, 1, 4, 4});
  REQUIRE(mask.numbers.size() == 48);
  for_each_index(mask.shape, [&](const Shape& index) {
    const std::size_t b = index[0], t = index[2], s = index[3];
    INFO("document " << b << " of length " << lengths[b] << ", query " << t << ", key " << s
                     << "; hint: hide keys, not queries: a query of padding is computed, and nobody looks at it");
    REQUIRE(mask.numbers[mask.place(index)] == (s <= t && s < lengths[b] ? 1 : 0));
  });
}

TEST_CASE("a padded batch with this mask is each document alone") {
  const Scope scope;
  const std::vector<std::size_t> lengths{4, 2, 3};
  const std::size_t N = 4, C = 8, H = 2;
  const std::vector<double> numbers = random_numbers(lengths.size() * N * C);
  auto attention = [](const Array<Value>& x, const Array<double>& mask) {
    const Array<Value> heads = split_heads(x, H);
    return data_of(merge_heads(attend(heads, heads, heads, mask).out));
  };
  const std::vector<double> batch = attention(leaves({lengths.size(), N, C}, numbers), causal_padding_mask(lengths, N));
  for (std::size_t b = 0; b < lengths.size(); b++) {
    const std::size_t n = lengths[b], first = b * N * C;
    const std::vector<double> document(&numbers[first], &numbers[first] + n * C);
    const std::vector<double> alone = attention(leaves({1, n, C}, document), causal_padding_mask({n}, n));
    INFO("document " << b << "; hint: the case above must pass first");
    REQUIRE(largest_difference(std::span(batch).subspan(first, n * C), alone) < tolerance);
  }
  INFO("hint: causal_padding_mask() lets queries see what comes later");
  CHECK(causal_padding_mask({2}, 2).numbers == std::vector<double>{1, 0, 1, 1});
}
