// Exercise 13: two sums on several threads. The gradient of an embedding is a sum with a trap: every position adds to
// the row of its token, and the same letter stands in many names, so who owns what? And a long sum can be cut so that
// its bits do not depend on the number of threads.
//
//   make exercise-13    fails until both functions are right, and hints at what is missing
//   make solution-13    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/python_random.h"
#include "base/tokenizer.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The part of thread s in dw[token[n]] += dx[n], for all positions n. dw is (V,C), dx is (N,C). dw must get the same
/// bits, whichever thread comes first and however many there are.
void add_to_embedding(View<float> dw, View<const float> dx, const std::vector<Token>& tokens, std::size_t s,
                      std::size_t threads) {
  // TODO: this takes some of the positions, and two threads may meet in one row. Who should own what?
  const Share positions = share(tokens.size(), s, threads);
  for (std::size_t n = positions.first; n < positions.first + positions.n; n++) {
    for (std::size_t c = 0; c < dw.cols; c++) dw.row(tokens[n])[c] += dx.row(n)[c];
  }
}

/// The sum of the numbers, on several threads: each block of 64 numbers is summed from left to right, the last one may
/// be shorter, and then the blocks' sums are added from left to right.
float steady_sum(const std::vector<float>& numbers, std::size_t threads) {
  // TODO: this cuts the sum into as many parts as there are threads. Let threads share the blocks instead.
  std::vector<float> sums(threads);
  parallel(threads, [&](std::size_t s) {
    const Share part = share(numbers.size(), s, threads);
    for (std::size_t i = part.first; i < part.first + part.n; i++) sums[s] += numbers[i];
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}
#endif

namespace {

constexpr std::size_t V = 27, C = 5, N = 400;

std::vector<float> random_numbers(std::size_t n) {
  PythonRandom random(1);
  std::vector<float> numbers(n);
  for (float& number : numbers) number = static_cast<float>(random.gauss(0, 1));
  return numbers;
}

struct Embedding {
  std::vector<float> numbers = random_numbers(N * C);
  View<const float> dx{numbers.data(), N, C, C};
  std::vector<Token> tokens;

  Embedding() {
    PythonRandom random(2);
    for (std::size_t n = 0; n < N; n++) tokens.push_back(random.below(V));
  }

  /// dw, (V,C), when the threads' work is done one after the other.
  std::vector<float> gradient(const std::vector<std::size_t>& order, std::size_t threads) const {
    std::vector<float> dw(V * C);
    for (const std::size_t s : order) add_to_embedding({dw.data(), V, C, C}, dx, tokens, s, threads);
    return dw;
  }
};

std::vector<std::size_t> forwards(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

TEST_CASE("no two threads write the same row of an embedding's gradient") {
  const Embedding embedding;
  std::vector<int> owners(V);
  for (std::size_t s = 0; s < 3; s++) {
    const std::vector<float> dw = embedding.gradient({s}, 3);
    for (std::size_t i = 0; i < V; i++) {
      owners[i] += std::any_of(dw.begin() + i * C, dw.begin() + (i + 1) * C, [](float g) { return g != 0; }) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < V; i++) {
    INFO("row " << i << " is written by " << owners[i] << " of 3 threads; hint: a thread owns some rows, reads all "
                << "positions, and leaves out those whose token's row is not its own");
    REQUIRE(owners[i] == 1);
  }
}

TEST_CASE("an embedding's gradient has the same bits, whoever comes first") {
  const Embedding embedding;
  const std::vector<float> expected = embedding.gradient({0}, 1);
  for (const std::size_t threads : {2, 3, 8, 40}) {
    std::vector<std::size_t> order = forwards(threads);
    INFO(threads << " threads; hint: the sum of a row must run over the positions from first to last");
    CHECK(embedding.gradient(order, threads) == expected);
    std::reverse(order.begin(), order.end());
    CHECK(embedding.gradient(order, threads) == expected);
  }
}

TEST_CASE("a steady sum has the same bits for any number of threads") {
  const std::vector<float> numbers = random_numbers(1000);
  const float expected = steady_sum(numbers, 1);
  for (const std::size_t threads : {2, 3, 8, 40}) {
    INFO(threads << " threads; hint: where the numbers are cut must not depend on the number of threads");
    CHECK(steady_sum(numbers, threads) == expected);
  }
  MESSAGE("the sum of 1000 numbers on 1, 2, 3, 8 and 40 threads: "
          << steady_sum(numbers, 1) << " " << steady_sum(numbers, 2) << " " << steady_sum(numbers, 3) << " "
          << steady_sum(numbers, 8) << " " << steady_sum(numbers, 40));
}

TEST_CASE("a steady sum is the sum of its blocks of 64") {
  for (const std::size_t n : {0, 1, 64, 65, 1000}) {
    const std::vector<float> numbers = random_numbers(n);
    float expected = 0;
    for (std::size_t first = 0; first < n; first += 64) {
      float block = 0;
      for (std::size_t i = first; i < std::min(n, first + 64); i++) block += numbers[i];
      expected += block;
    }
    INFO(n << " numbers; hint: give each block of 64 a place of its own for its sum");
    CHECK(steady_sum(numbers, 3) == expected);
  }
}
