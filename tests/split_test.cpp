#include "base/split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace microgpt {
namespace {

/// "a", "aa", "aaa", ...
std::vector<Document> distinct(std::size_t n) {
  std::vector<Document> documents;
  for (std::size_t i = 1; i <= n; i++) documents.emplace_back(i, U'a');
  return documents;
}

TEST_CASE("a tenth is held out, rounded down, and nothing is lost or in both parts") {
  const std::vector<Document> documents = distinct(29);
  const Split names = split(documents);
  CHECK(names.held_out.size() == 2);
  CHECK(names.training.size() == 27);
  std::set<Document> all(names.training.begin(), names.training.end());
  all.insert(names.held_out.begin(), names.held_out.end());
  CHECK(all.size() == 29);
}

TEST_CASE("a document that comes twice counts once, so it cannot be in both parts") {
  std::vector<Document> documents = distinct(20);
  for (const Document& document : distinct(20)) documents.push_back(document);
  CHECK(split(documents).training == split(distinct(20)).training);
  CHECK(split(documents).held_out == split(distinct(20)).held_out);
}

// Published losses are of these names. If others were held out, they could not be compared with any of before.
TEST_CASE("of the names that come with the project, always the same are held out") {
  const Split names = split(read_documents("data/names.txt"));
  CHECK(names.training.size() == 16464);
  REQUIRE(names.held_out.size() == 1829);
  const std::vector<Document> first(names.held_out.begin(), names.held_out.begin() + 3);
  CHECK((first == std::vector<Document>{U"hibret", U"dionysios", U"ariadna"}));
  CHECK(fingerprint(names.held_out) == 0xae412bac204f4d71);
}

TEST_CASE("nine documents are too few") {
  CHECK_THROWS_WITH_AS(split(distinct(9)), doctest::Contains("9 distinct documents"), Error);
}

}  // namespace
}  // namespace microgpt
