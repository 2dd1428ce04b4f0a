// The counting model that a GPT has to beat.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "train/ngram.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

TEST_CASE("each longer context corrects what shorter ones expect, which count behind how many tokens a token came") {
  const std::vector<Document> names{U"ana", U"anna", U"hanna"};
  const Tokenizer tokenizer(names);  // a, h, n, BOS
  const Ngram ngram(names, tokenizer);
  Tokens anna = tokenizer.encode_document(U"anna");
  // Of 7 pairs, 3 end in a: those that begin with BOS, h and n. Behind n, a came after a and n, and n after a.
  const double d = 0.85, p1 = (3 - d + 4 * d * 0.25) / 7, p2 = (2 - d + 2 * d * p1) / 3, p3 = 1 - d + d * p2;
  const double p4 = (2 - d + d * p3) / 2;                    // after BOS and h
  CHECK(ngram(anna, 4) == doctest::Approx(1 - d + d * p4));  // nothing comes before BOS, so p5 counts how often: once
  double total = 0;
  for (anna[4] = 0; anna[4] < tokenizer.vocab_size(); anna[4]++) total += ngram(anna, 4);
  CHECK(total == doctest::Approx(1));
}

TEST_CASE("counting looks back as far as its order, and no further") {
  const std::vector<Document> names{U"xabcdefg", U"yabcdefg", U"yabcdefh", U"zabcdefh", U"zbcdefhh"};
  const Tokenizer tokenizer(names);
  const Ngram ngram(names, tokenizer);
  const auto p = [&](const char32_t* name) { return ngram(tokenizer.encode_document(name), 8); };
  CHECK(p(U"xabcdefg") == p(U"zabcdefg"));
  CHECK(p(U"xabcdefg") != p(U"xxbcdefg"));
}

TEST_CASE("a mixture lies between the GPT and the counts, and its best share is that of the better one") {
  const std::vector<Document> names{U"ana", U"anna", U"hanna"};
  const Tokenizer tokenizer(names);
  const Mixture mixture{0.25, Ngram(names, tokenizer)};
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

  mixture.mix(std::span(logits), before.first(1));  // what begins no name begins none here
  CHECK(std::exp(logits[0]) == doctest::Approx(2.0 / 3));
  CHECK(logits[2] < -20);

  const std::vector<double> good{0.1, 0.2}, bad{1, 2}, one{0.1, 3}, other{3, 0.1};
  CHECK(best_share(good, bad) == 1);
  CHECK(best_share(bad, good) == 0);
  CHECK(best_share(one, other) == 0.5);
  CHECK(mixed_losses(0.5, one, other)[0] == doctest::Approx(-std::log((std::exp(-0.1) + std::exp(-3)) / 2)));
}

}  // namespace
}  // namespace microgpt
