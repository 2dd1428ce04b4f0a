// The counting model that a GPT has to beat.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/python_random.h"
#include "train/ngram.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

TEST_CASE("each longer context corrects what the shorter ones expect, by as much as it was seen") {
  const std::vector<Document> names{U"ana", U"anna", U"hanna"};
  const Tokenizer tokenizer(names);  // a, h, n, BOS
  Ngram ngram(tokenizer.vocab_size());
  ngram.trust = 2;
  for (const Document& name : names) ngram.count(tokenizer.encode_document(name));
  const Tokens anna = tokenizer.encode_document(U"anna");
  // What comes after "ann", of 15 tokens: 6 are a. After n, 5 times: a 3 times. After nn, twice: a, twice. And so on.
  const double p1 = (6 + 2 * 0.25) / (15 + 2), p2 = (3 + 2 * p1) / (5 + 2), p3 = (2 + 2 * p2) / (2 + 2);
  const double p4 = (2 + 2 * p3) / (2 + 2), p5 = (1 + 2 * p4) / (1 + 2);
  std::vector<double> p;
  for (ngram.order = 1; ngram.order <= 5; ngram.order++) p.push_back(ngram(anna, 4));
  CHECK(p == std::vector{p1, p2, p3, p4, p5});
}

TEST_CASE("the best order reaches as far back as the data does, and not much further") {
  PythonRandom random(1);
  std::vector<Document> dice, doubled;  // each letter by chance; each letter twice
  for (std::size_t n = 0; n < 300; n++) {
    std::u32string document, twice;
    for (std::size_t i = 0; i < 8; i++) document += U"abcd"[random.below(4)];
    for (const char32_t letter : document.substr(0, 4)) twice += {letter, letter};
    dice.push_back(keep(document));
    doubled.push_back(keep(twice));
  }
  CHECK(best_ngram(dice, Tokenizer(dice)).order <= 2);
  CHECK(best_ngram(doubled, Tokenizer(doubled)).order >= 3);
  const std::vector<Document> few{U"ab", U"ba"};  // too few to hold any back
  CHECK(std::isfinite(counted_loss(best_ngram(few, Tokenizer(few)), few, Tokenizer(few))));
}

}  // namespace
}  // namespace microgpt
