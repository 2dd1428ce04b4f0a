// The counting model that a GPT has to beat.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
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
  CHECK(std::isfinite(counted_losses(best_ngram(few, Tokenizer(few)), few, Tokenizer(few))[0]));
}

TEST_CASE("a mixture lies between the GPT and the counts, and its best share is that of the better one") {
  const std::vector<Document> names{U"ana", U"anna", U"hanna"};
  const Tokenizer tokenizer(names);
  const Mixture mixture{0.25, best_ngram(names, tokenizer)};
  const Tokens an = tokenizer.encode_document(U"an");
  const std::span<const Token> before = std::span(an).first(3);
  std::vector<double> logits{2, 0, 1, 0};  // of a, h, n, BOS
  const double total = std::exp(2) + std::exp(1) + 2;
  mixture.mix(std::span(logits), before);
  const std::vector<double> counted = mixture.counts.next(before);
  CHECK(std::accumulate(counted.begin(), counted.end(), 0.0) == doctest::Approx(1));
  CHECK(std::exp(logits[0]) == doctest::Approx(0.25 * std::exp(2) / total + 0.75 * counted[0]));
  CHECK(std::exp(logits[3]) == doctest::Approx(0.25 / total + 0.75 * counted[3]));
  CHECK(counted[3] < 0.1);  // no name ends behind "an", and only smoothing makes one end there

  const std::vector<double> good{0.1, 0.2}, bad{1, 2}, one{0.1, 3}, other{3, 0.1};
  CHECK(best_share(good, bad) == 1);
  CHECK(best_share(bad, good) == 0);
  CHECK(best_share(one, other) == 0.5);
  CHECK(mixed_losses(0.5, one, other)[0] == doctest::Approx(-std::log((std::exp(-0.1) + std::exp(-3)) / 2)));
}

}  // namespace
}  // namespace microgpt
