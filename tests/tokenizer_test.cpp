#include "base/tokenizer.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

TEST_CASE("tokens are the distinct characters in the order of their code points") {
  const std::vector<Document> documents{U"z\U0001f600a", U"a\u00e9Z\uffff"};
  const Tokenizer tokenizer(documents);
  CHECK((tokenizer.characters() == U"Zaz\u00e9\uffff\U0001f600"));
  CHECK((tokenizer.encode(U"\U0001f600Z\u00e9") == Tokens{5, 0, 3}));
}

TEST_CASE("BOS is the last token and stands at both ends of a document") {
  const Tokenizer tokenizer(U"abc");
  CHECK(tokenizer.bos() == 3);
  CHECK(tokenizer.vocab_size() == 4);
  CHECK((tokenizer.encode(U"cab") == Tokens{2, 0, 1}));
  CHECK((tokenizer.encode_document(U"cab") == Tokens{3, 2, 0, 1, 3}));
}

TEST_CASE("decoding gives the text back in UTF-8") {
  const Tokenizer tokenizer(U"az\u00e9\U0001f600");
  CHECK(tokenizer.decode(tokenizer.encode(U"\u00e9a\U0001f600")) == "\u00e9a\U0001f600");
  CHECK(tokenizer.decode(Tokens{}) == "");
}

TEST_CASE("a character outside the alphabet is refused by name") {
  const Tokenizer tokenizer(U"abc");
  for (const char32_t* text : {U"ab\u00e9", U"\u00e9"}) {
    CHECK_THROWS_WITH_AS(tokenizer.encode(text), doctest::Contains("'\u00e9'"), UsageError);
  }
  CHECK_THROWS_AS(tokenizer.encode(U"B"), UsageError);  // sorts before, \u00e9 after
}

TEST_CASE("an alphabet must be sorted, without repeats, and not empty") {
  for (const char32_t* characters : {U"", U"ba", U"aab"}) CHECK_THROWS_AS(Tokenizer{characters}, Error);
}

}  // namespace
}  // namespace microgpt
