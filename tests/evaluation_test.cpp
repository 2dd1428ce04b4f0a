#include "train/evaluation.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace microgpt;

namespace {

/// A loss that is known beforehand: how many tokens the document has, the two BOS not counted.
Value length(std::span<const Token> tokens) { return static_cast<double>(tokens.size() - 2); }

}  // namespace

TEST_CASE("each document counts the same, whatever its length") {
  const std::vector<Document> documents{U"a", U"ab", U"abcabc"};
  const Tokenizer tokenizer(documents);
  CHECK(document_losses(length, documents, tokenizer) == std::vector<double>{1, 2, 6});
  CHECK(mean_loss(length, documents, tokenizer).mean == 3);
}

TEST_CASE("evaluation leaves nothing on the tape") {
  const std::vector<Document> documents(50, U"abc");
  const Tokenizer tokenizer(documents);
  const std::size_t before = tape.nodes().size();
  document_losses(length, documents, tokenizer);
  CHECK(tape.nodes().size() == before);
}

TEST_CASE("an estimate is the mean, the deviation by n - 1, and that divided by the root of n") {
  const std::vector<double> numbers{2, 4, 4, 6};  // squares of the deviations: 4 0 0 4
  const Estimate e = estimate(numbers);
  CHECK(e.mean == 4);
  CHECK(e.stddev == std::sqrt(8.0 / 3));
  CHECK(e.standard_error == std::sqrt(8.0 / 3) / 2);
}

TEST_CASE("the mean of none and the deviation of one are not numbers") {
  CHECK(std::isnan(estimate({}).mean));
  const std::vector<double> one{7};
  CHECK(estimate(one).mean == 7);
  CHECK(std::isnan(estimate(one).stddev));
}

TEST_CASE("an invented name is listed if it stands among the documents, letter for letter") {
  const std::vector<Document> documents{U"ab", U"b"};
  const Tokenizer tokenizer(documents);
  const std::vector<std::vector<Token>> names{{0, 1}, {0}, {1}, {0, 1}, {}};
  CHECK(count_listed(names, documents, tokenizer) == 3);
  CHECK(count_listed(names, std::span(documents).first(1), tokenizer) == 2);
}
