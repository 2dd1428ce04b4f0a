#include "base/python_random.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "first_difference.h"

namespace microgpt {
namespace {

std::vector<double> shuffled(PythonRandom& random, std::size_t n) {
  std::vector<double> items(n);
  std::iota(items.begin(), items.end(), 0);
  random.shuffle(items);
  return items;
}

/// What a fresh generator makes of the golden line called `name`, n numbers.
std::vector<double> draw(const std::string& name, std::size_t n, PythonRandom random) {
  if (name == "shuffle_20") return shuffled(random, 20);
  std::vector<double> drawn;
  if (name == "shuffle5_then_gauss_then_choices") {
    drawn = shuffled(random, 5);
    drawn.push_back(random.gauss(0, 1));
    drawn.push_back(static_cast<double>(random.choice(std::vector{1.0, 2.0, 3.0})));
    drawn.push_back(random.gauss(0, 1));  // was made together with the first, before the choice
    return drawn;
  }
  for (std::size_t i = 0; i < n; i++) {
    if (name == "getrandbits32") drawn.push_back(random.bits32());
    if (name == "random") drawn.push_back(random.random());
    if (name == "gauss_0_0.08") drawn.push_back(random.gauss(0, 0.08));
    if (name == "choices_w_1_2_3_4") drawn.push_back(random.choice(std::vector{1.0, 2.0, 3.0, 4.0}));
  }
  return drawn;
}

TEST_CASE("every number is CPython's, for seeds of one word and two") {
  std::ifstream golden("tests/golden/python_random.txt");
  std::size_t lines = 0;
  std::string seed;
  for (std::string line; std::getline(golden, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "seed") {
      words >> seed;
      continue;
    }
    std::vector<double> expected;
    for (std::string word; words >> word;) expected.push_back(std::strtod(word.c_str(), nullptr));
    CAPTURE(seed);
    CAPTURE(name);
    CHECK(golden_difference(draw(name, expected.size(), PythonRandom(std::stoull(seed))), expected) == "");
    lines++;
  }
  CHECK(lines == 7 * 6);
}

// The numbers below were printed by CPython 3.11.

TEST_CASE("below draws one word for small ranges and two for large ones") {
  PythonRandom random(42);
  for (std::size_t expected : {247559453085U, 538052153943U, 305901360862U}) {
    CHECK(random.below(std::size_t{1} << 40) == expected);
  }
  for (std::size_t expected : {1890702223848595625U, 586287033698423193U, 1728372192399379054U}) {
    CHECK(random.below((std::size_t{1} << 63) + 1) == expected);
  }
  for (std::size_t expected : {939042955U, 2340505846U}) CHECK(random.below(std::size_t{1} << 32) == expected);
  CHECK(random.below(1) == 0);
  CHECK(random.below(0xffffffff) == 1929338154);
}

TEST_CASE("an index of weight zero is never chosen") {
  PythonRandom random(1);
  const std::vector<double> weights{0, 1, 0, 2, 0};
  for (int i = 0; i < 1000; i++) {
    const std::size_t chosen = random.choice(weights);
    CHECK((chosen == 1 || chosen == 3));
  }
}

}  // namespace
}  // namespace microgpt
