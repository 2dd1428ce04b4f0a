// Exercise 14: one query, and its keys on two threads. A model that generates has one query at a time and perhaps many
// thousand keys, so threads cannot share queries. Each takes some of the keys and does attention with them alone; it is
// left with its largest score, the sum of its weights, and its mixture. From two such parts comes the whole.
//
//   make exercise-14    fails until merge() is right, and hints at what is missing
//   make solution-14    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/python_random.h"

using namespace microgpt;

/// Attention over some of the keys, not yet divided by its total.
struct Part {
  double most = -std::numeric_limits<double>::infinity();  // the largest score; -infinity without any key
  double total = 0;                                        // the sum of exp(score - most)
  std::vector<double> out;                                 // (D) the sum of exp(score - most) * value
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The attention over the keys of a and of b.
Part merge(const Part& a, const Part& b) {
  // TODO: this adds apples and oranges. What are the weights in a relative to, what those in b, and what should they be
  // relative to in the end? And what if there is no key in a part, or in both?
  Part both = a;
  both.most = std::max(a.most, b.most);
  both.total += b.total;
  for (std::size_t j = 0; j < both.out.size(); j++) both.out[j] += b.out[j];
  return both;
}
#endif

namespace {

constexpr std::size_t D = 3, num_keys = 20;

struct Keys {
  std::vector<double> scores;
  std::vector<std::vector<double>> values;

  explicit Keys(double largest_score) {
    PythonRandom random(1);
    for (std::size_t i = 0; i < num_keys; i++) {
      scores.push_back(largest_score * (2 * random.random() - 1));
      values.push_back({random.gauss(0, 1), random.gauss(0, 1), random.gauss(0, 1)});
    }
  }

  /// Attention over the keys from first to last, and not last itself.
  Part part(std::size_t first, std::size_t last) const {
    Part part{.out = std::vector<double>(D)};
    for (std::size_t i = first; i < last; i++) part.most = std::max(part.most, scores[i]);
    for (std::size_t i = first; i < last; i++) {
      const double weight = std::exp(scores[i] - part.most);
      part.total += weight;
      for (std::size_t j = 0; j < D; j++) part.out[j] += weight * values[i][j];
    }
    return part;
  }
};

/// Both are sums of at most 20 terms in another order; a score of 1000 is rounded by 1e-13, and so is its weight.
void check_equal(const Part& found, const Part& expected) {
  CHECK(found.most == expected.most);
  CHECK(found.total == doctest::Approx(expected.total).epsilon(1e-11));
  REQUIRE(found.out.size() == D);
  for (std::size_t j = 0; j < D; j++) CHECK(found.out[j] == doctest::Approx(expected.out[j]).epsilon(1e-11));
}

}  // namespace

TEST_CASE("two parts make the whole, wherever the keys are cut") {
  const Keys keys(5);
  for (std::size_t cut = 1; cut < num_keys; cut++) {
    INFO("cut before key " << cut
                           << "; hint: take() in main.cpp shrinks what came before; here either part may have to");
    check_equal(merge(keys.part(0, cut), keys.part(cut, num_keys)), keys.part(0, num_keys));
  }
}

TEST_CASE("large scores do no harm") {
  const Keys keys(1000);
  INFO(
      "hint: exp(1000) is infinite; the only safe exponents are differences to the larger of the two most, never above "
      "0");
  check_equal(merge(keys.part(0, 7), keys.part(7, num_keys)), keys.part(0, num_keys));
}

TEST_CASE("a part without keys changes nothing") {
  const Keys keys(5);
  const Part whole = keys.part(0, num_keys);
  const Part nothing = keys.part(0, 0);
  INFO("hint: where nothing was seen, most is -infinity and exp(-infinity) is 0, as it should be");
  check_equal(merge(whole, nothing), whole);
  check_equal(merge(nothing, whole), whole);
  INFO("hint: but two of them: -infinity - -infinity is not a number");
  CHECK(merge(nothing, nothing).total == 0);
  CHECK(merge(nothing, nothing).out == std::vector<double>(D));
}

TEST_CASE("many parts, merged in a tree, make the whole") {
  const Keys keys(5);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < num_keys; i++) parts.push_back(keys.part(i, i + 1));
  while (parts.size() > 1) {
    std::vector<Part> merged;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) merged.push_back(merge(parts[i], parts[i + 1]));
    if (parts.size() % 2 != 0) merged.push_back(parts.back());
    parts = merged;
  }
  INFO("hint: the first case must pass first");
  check_equal(parts[0], keys.part(0, num_keys));
  Part walked = keys.part(0, 1);
  for (std::size_t i = 1; i < num_keys; i++) walked = merge(walked, keys.part(i, i + 1));
  if (std::abs(parts[0].total - keys.part(0, num_keys).total) > 1e-9) return;
  const double difference = std::abs(walked.out[0] / walked.total - parts[0].out[0] / parts[0].total);
  MESSAGE("20 keys as a tree and one after the other: the mixtures are "
          << parts[0].out[0] / parts[0].total << " and " << walked.out[0] / walked.total << ", " << difference
          << " apart. Is that a bug?");
}
