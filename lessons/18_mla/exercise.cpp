// Exercise 18: is latent attention something else than GQA, or something more? Take any layer with grouped-query
// attention. Write a latent layer that keeps as many numbers of a position, and in which every head has exactly the
// keys and values that it has in GQA. Then the last test moves one number of it.
//
//   make exercise-18    fails until the three functions are right, and hints at what is missing
//   make solution-18    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/python_random.h"

using namespace microgpt;

namespace {

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;  // a matrix: a row for each output

/// W x.
Numbers times(const Rows& w, const Numbers& x) {
  Numbers y;
  for (const Numbers& row : w) {
    double total = 0;
    for (std::size_t j = 0; j < row.size(); j++) total += row[j] * x.at(j);
    y.push_back(total);
  }
  return y;
}

}  // namespace

#ifdef SOLUTION
#include "solution.cpp"
#else

/// W_DKV of the latent layer, (2*G*D,C), from W_K and W_V of the grouped one, (G*D,C) each. c = W_DKV x.
Rows down([[maybe_unused]] const Rows& wk, [[maybe_unused]] const Rows& wv) {
  // TODO: c must hold everything that GQA keeps of a position. What does GQA keep?
  return {};
}

/// W_UK, (H*D,2*G*D): from c to the keys of all heads. Rows h*D to h*D + D - 1 belong to head h.
Rows up_to_keys([[maybe_unused]] std::size_t H, [[maybe_unused]] std::size_t G, [[maybe_unused]] std::size_t D) {
  // TODO: W_UK has nothing to compute, only to pick. Which numbers of c are the key that head h reads in GQA?
  return {};
}

/// W_UV, (H*D,2*G*D): from c to the values of all heads.
Rows up_to_values([[maybe_unused]] std::size_t H, [[maybe_unused]] std::size_t G, [[maybe_unused]] std::size_t D) {
  // TODO: the same, for values.
  return {};
}

#endif

namespace {

constexpr std::size_t C = 12, D = 3;

struct Grouped {
  explicit Grouped(std::size_t G) {
    PythonRandom random(7);
    auto draw = [&] { return random.gauss(0, 1); };
    for (Rows* w : {&wk, &wv}) {
      w->assign(G * D, Numbers(C));
      for (Numbers& row : *w) std::generate(row.begin(), row.end(), draw);
    }
    std::generate(x.begin(), x.end(), draw);
  }

  Rows wk, wv;
  Numbers x = Numbers(C);  // of one position
};

bool has_shape(const Rows& w, std::size_t rows, std::size_t cols) {
  return w.size() == rows && std::all_of(w.begin(), w.end(), [&](const Numbers& row) { return row.size() == cols; });
}

/// The numbers of head h.
Numbers of_head(const Numbers& all, std::size_t h) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(h * D);
  return {first, first + static_cast<std::ptrdiff_t>(D)};
}

}  // namespace

TEST_CASE("c holds what GQA keeps") {
  const Grouped gqa(2);
  const Rows dkv = down(gqa.wk, gqa.wv);
  INFO("hint: GQA keeps W_K x and W_V x. One matrix can make both, one above the other");
  REQUIRE(has_shape(dkv, 2 * 2 * D, C));
  const Numbers c = times(dkv, gqa.x);
  for (const Numbers& kept : {times(gqa.wk, gqa.x), times(gqa.wv, gqa.x)}) {
    for (const double number : kept) CHECK(std::count(c.begin(), c.end(), number) == 1);
  }
}

TEST_CASE("every head has the key and the value that it has in GQA") {
  for (const std::size_t G : {1, 2, 4}) {
    const Grouped gqa(G);
    const std::size_t H = 4;
    const Rows uk = up_to_keys(H, G, D), uv = up_to_values(H, G, D), dkv = down(gqa.wk, gqa.wv);
    REQUIRE(has_shape(uk, H * D, 2 * G * D));
    REQUIRE(has_shape(uv, H * D, 2 * G * D));
    REQUIRE_MESSAGE(has_shape(dkv, 2 * G * D, C), "hint: the first case must pass first");
    const Numbers c = times(dkv, gqa.x), keys = times(uk, c), values = times(uv, c);
    for (std::size_t h = 0; h < H; h++) {
      INFO("head " << h << " of " << H << ", " << G << " groups; hint: it reads group h / (H / G), as in lesson 16. "
                   << "A row of W_UK that picks number n of c is 0 everywhere but at n");
      CHECK(of_head(keys, h) == of_head(times(gqa.wk, gqa.x), h / (H / G)));
      CHECK(of_head(values, h) == of_head(times(gqa.wv, gqa.x), h / (H / G)));
    }
  }
}

TEST_CASE("and it can do more, for the same cache") {
  const Grouped gqa(2);
  Rows uk = up_to_keys(4, 2, D);
  const Rows dkv = down(gqa.wk, gqa.wv);
  REQUIRE_MESSAGE((has_shape(uk, 4 * D, 4 * D) && has_shape(dkv, 4 * D, C)), "hint: the other cases must pass first");
  const Numbers c = times(dkv, gqa.x);
  auto print = [&](const char* when) {
    const Numbers keys = times(uk, c);
    for (const std::size_t h : {0, 1}) {
      const Numbers key = of_head(keys, h);
      MESSAGE(fmt::format("{}, key of head {}: {:6.3f} {:6.3f} {:6.3f}", when, h, key[0], key[1], key[2]));
    }
    return of_head(keys, 0) == of_head(keys, 1);
  };
  CHECK(print("as in GQA"));
  uk[D][D] += 0.5;  // the first number of head 1's key takes something from the other group
  CHECK_FALSE(print("with one number of W_UK changed"));
  MESSAGE(fmt::format("kept in both cases: {} numbers", c.size()));
}
