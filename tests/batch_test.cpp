#include "tensor/batch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/python_random.h"

namespace microgpt {
namespace {

using Numbers = std::vector<std::size_t>;

/// A batch of documents with so many predictions each.
Batch batch_of(const Numbers& predictions, std::size_t block_size = 100) {
  Batch batch(block_size);
  for (const std::size_t n : predictions) batch.add(Numbers(n + 1));
  return batch;
}

Numbers list(std::span<const std::size_t> numbers) { return {numbers.begin(), numbers.end()}; }

TEST_CASE("documents stand one after the other, each token beside the next one") {
  Batch batch(8);
  batch.add(Numbers{9, 1, 2, 2, 3, 9});
  batch.add(Numbers{9, 3, 4, 3, 9});
  CHECK(list(batch.tokens()) == Numbers{9, 1, 2, 2, 3, 9, 3, 4, 3});
  CHECK(list(batch.targets()) == Numbers{1, 2, 2, 3, 9, 3, 4, 3, 9});
  CHECK(list(batch.positions()) == Numbers{0, 1, 2, 3, 4, 0, 1, 2, 3});
  CHECK(batch.num_documents() == 2);
  CHECK(batch.num_positions() == 9);
  CHECK(batch.document(1).first == 5);
  CHECK(batch.document(1).n == 4);
}

TEST_CASE("a document is cut after block_size predictions") {
  Batch batch(3);
  batch.add(Numbers{9, 1, 2, 9});     // just fits
  batch.add(Numbers{9, 1, 2, 3, 9});  // one too many
  CHECK(list(batch.tokens()) == Numbers{9, 1, 2, 9, 1, 2});
  CHECK(list(batch.targets()) == Numbers{1, 2, 9, 1, 2, 3});
  CHECK(batch.document(0).n == 3);
  CHECK(batch.document(1).n == 3);
}

TEST_CASE("a document without anything to predict is refused, and the batch stays as it was") {
  Batch batch(3);
  batch.add(Numbers{9, 9});
  CHECK_THROWS_AS(batch.add(Numbers{9}), std::invalid_argument);
  CHECK_THROWS_AS(batch.add(Numbers{}), std::invalid_argument);
  CHECK(batch.num_documents() == 1);
  CHECK(batch.num_positions() == 1);
}

TEST_CASE("shares take every document once, in order, and are off an even share by no more than one document") {
  PythonRandom random(1);
  for (int round = 0; round < 200; round++) {
    Numbers predictions(1 + random.below(20));
    for (std::size_t& n : predictions) n = 1 + random.below(round % 2 == 0 ? 3 : 60);
    const Batch batch = batch_of(predictions);
    const std::size_t longest = *std::max_element(predictions.begin(), predictions.end());
    for (const std::size_t shares : {1, 2, 3, 7, 30}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < shares; i++) {
        const Share documents = batch.documents(i, shares);
        CHECK(documents.first == next);
        next += documents.n;
        // Each end is at the start that is nearest to the even cut: at most half a document away, and half a row more
        // as cuts are rounded down to rows.
        const auto even = static_cast<double>(batch.num_positions()) / static_cast<double>(shares);
        CHECK(std::abs(static_cast<double>(batch.rows(documents).n) - even) <= static_cast<double>(longest) + 1);
      }
      CHECK(next == batch.num_documents());
    }
  }
}

TEST_CASE("weights sum to one, and are even over documents or over tokens") {
  const Batch batch = batch_of({1, 4, 150, 7});  // the third is cut to 100
  for (const LossMean mean : {LossMean::documents, LossMean::tokens}) {
    const std::vector<double> weights = batch.weights(mean);
    REQUIRE(weights.size() == batch.num_positions());
    // 112 additions of numbers below 1: at most 112 half units in its last place, 2^-54 each.
    CHECK(std::abs(std::accumulate(weights.begin(), weights.end(), 0.0) - 1) < 112 * 0x1p-53);
  }
  CHECK(batch.weights(LossMean::documents)[0] == 1.0 / 4);
  CHECK(batch.weights(LossMean::documents)[1] == 1.0 / 16);
  CHECK(batch.weights(LossMean::documents)[5] == 1.0 / 400);
  const std::vector<double> weights = batch.weights(LossMean::tokens);
  CHECK(std::count(weights.begin(), weights.end(), 1.0 / 112) == 112);
}

}  // namespace
}  // namespace microgpt
