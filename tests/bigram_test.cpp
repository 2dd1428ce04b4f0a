#include "base/bigram.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

TEST_CASE("pairs are counted, each once more than it was seen") {
  Bigram bigram(3);
  bigram.count(Tokens{2, 0, 0, 1, 2});
  bigram.count(Tokens{2, 0, 2});
  CHECK((std::vector<std::uint64_t>{bigram.counts(2).begin(), bigram.counts(2).end()} ==
         std::vector<std::uint64_t>{2, 0, 0}));
  CHECK(bigram.probabilities(2) == std::vector<double>{3.0 / 5, 1.0 / 5, 1.0 / 5});
  CHECK(bigram.probabilities(0) == std::vector<double>{2.0 / 6, 2.0 / 6, 2.0 / 6});
  CHECK(bigram.probabilities(1) == std::vector<double>{1.0 / 4, 1.0 / 4, 2.0 / 4});
}

TEST_CASE("the loss is the mean of -log p, whatever comes later") {
  Bigram bigram(3);
  bigram.count(Tokens{2, 0, 1, 2});
  const double expected = (std::log(2) + std::log(2) + std::log(2)) / 3;  // each p is 2/4
  // One rounding for each log, sum and product of numbers below 4: less than eight units of 2^-52.
  CHECK(std::abs(bigram.loss(Tokens{2, 0, 1, 2}) - expected) <= 8 * 0x1p-52);
}

}  // namespace
}  // namespace microgpt
