// Exercise 01: see two characters instead of one. A trigram model predicts the next token from the last two.
//
//   make exercise-01     fails until the two functions are written
//   make solution-01     runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/bigram.h"
#include "base/split.h"
#include "base/tokenizer.h"
#include "train/evaluation.h"

using namespace microgpt;

/// at(a, b, c): how often token c came right after the tokens a, b.
struct Trigram {
  explicit Trigram(std::size_t V) : vocab_size(V), counts(V * V * V) {}

  double& at(Token a, Token b, Token c) { return counts.at((a * vocab_size + b) * vocab_size + c); }
  double at(Token a, Token b, Token c) const { return counts.at((a * vocab_size + b) * vocab_size + c); }

  std::size_t vocab_size;
  std::vector<double> counts;
};

#ifdef SOLUTION
#include "solution.cpp"
#else

/// Counts a document: BOS, its tokens, BOS. Its first token comes after nothing: take BOS, BOS for the two before it.
void count([[maybe_unused]] Trigram& model, [[maybe_unused]] std::span<const Token> tokens) {
  // TODO: walk along the tokens. Which two came before tokens[i + 1]? For i = 0 there is only one: take BOS twice.
}

/// p(next | a, b), (V): every triple counts one more than it was seen.
std::vector<double> probabilities(const Trigram& model, [[maybe_unused]] Token a, [[maybe_unused]] Token b) {
  std::vector<double> p(model.vocab_size);
  // TODO: p[next] is the count of a, b, next and one more, divided by the sum of the counts after a, b and V.
  return p;
}

#endif

namespace {

double document_loss(const Trigram& model, std::span<const Token> tokens) {
  double total = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    total += -std::log(probabilities(model, tokens[i == 0 ? 0 : i - 1], tokens[i])[tokens[i + 1]]);
  }
  return total / static_cast<double>(tokens.size() - 1);
}

// Letters a, n and BOS are tokens 0, 1, 2; "anna" is then BOS a n n a BOS.
constexpr Token a = 0, n = 1, bos = 2;
const std::vector<Token> anna{bos, a, n, n, a, bos};

}  // namespace

TEST_CASE("knowing nothing, every token is equally likely") {
  INFO("hint: (0 + 1) / (0 + V)");
  const std::vector<double> p = probabilities(Trigram(3), bos, bos);
  REQUIRE(p.size() == 3);
  for (double p_i : p) CHECK(p_i == doctest::Approx(1.0 / 3));
}

TEST_CASE("the first token comes after BOS, BOS") {
  Trigram model(3);
  count(model, anna);
  INFO("hint: for i = 0 there is no tokens[i - 1]; tokens[0] is BOS, take it twice");
  CHECK(model.at(bos, bos, a) == 1);
}

TEST_CASE("every other token comes after the two before it") {
  Trigram model(3);
  count(model, anna);
  INFO("hint: BOS a -> n, a n -> n, n n -> a, n a -> BOS");
  CHECK(model.at(bos, a, n) == 1);
  CHECK(model.at(a, n, n) == 1);
  CHECK(model.at(n, n, a) == 1);
  CHECK(model.at(n, a, bos) == 1);
  INFO("hint: a name of 4 letters has 5 predictions, its end included");
  CHECK(std::accumulate(model.counts.begin(), model.counts.end(), 0.0) == 5);
}

TEST_CASE("what was seen is likelier, what was not seen is not impossible") {
  Trigram model(3);
  count(model, anna);
  const std::vector<double> p = probabilities(model, a, n);
  REQUIRE(p.size() == 3);
  INFO("hint: after a, n came n once: (1 + 1) / (1 + 3) for n, (0 + 1) / (1 + 3) for each other");
  CHECK(p[a] == doctest::Approx(0.25));
  CHECK(p[n] == doctest::Approx(0.5));
  CHECK(p[bos] == doctest::Approx(0.25));
}

TEST_CASE("with many names, two characters predict better than one") {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const auto [training, held_out] = split(documents);
  const Tokenizer tokenizer(documents);
  Bigram pairs(tokenizer.vocab_size());
  Trigram triples(tokenizer.vocab_size());
  double of_pairs = 0;
  double of_triples = 0;
  std::size_t counted = 0;
  for (std::size_t most : {std::size_t{1000}, training.size()}) {
    for (; counted < most; counted++) {
      const std::vector<Token> tokens = tokenizer.encode_document(training[counted]);
      pairs.count(tokens);
      count(triples, tokens);
    }
    of_pairs = mean_loss([&](auto tokens) { return pairs.loss(tokens); }, held_out, tokenizer).mean;
    of_triples = mean_loss([&](auto tokens) { return document_loss(triples, tokens); }, held_out, tokenizer).mean;
    fmt::print("counted {:5} names: loss with pairs {:.4f}, with triples {:.4f}\n", most, of_pairs, of_triples);
  }
  INFO("hint: if the losses are far off, look at the first token of a name once more");
  CHECK(of_triples < of_pairs);
}
