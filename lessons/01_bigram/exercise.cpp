// Exercise 01: see two characters instead of one. A trigram model predicts the next token from the last two. Its table
// has 27 times as many cells, most of them empty. What should it believe where it has seen nothing?
//
//   make exercise-01     fails until the two functions are written
//   make solution-01     runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/bigram.h"
#include "base/python_random.h"
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
  // TODO
}

/// p(next | a, b), (V). Before it has seen anything after a, b, the model believes `prior`, which adds up to 1. It
/// believes it as firmly as if it had seen `strength` examples that were spread like the prior.
///
/// Lesson 01 adds one to every count. That is this rule, too: with which prior, and with which strength?
std::vector<double> probabilities(const Trigram& model, [[maybe_unused]] Token a, [[maybe_unused]] Token b,
                                  [[maybe_unused]] std::span<const double> prior, [[maybe_unused]] double strength) {
  // TODO
  return std::vector<double>(model.vocab_size);
}

#endif

namespace {

// Letters a, n and BOS are tokens 0, 1, 2; "anna" is then BOS a n n a BOS.
constexpr Token a = 0, n = 1, bos = 2;
const std::vector<Token> anna{bos, a, n, n, a, bos};
const std::vector<double> even(3, 1.0 / 3);

Token before(std::span<const Token> tokens, std::size_t i) { return tokens[i == 0 ? 0 : i - 1]; }

/// The table of pairs, and that of triples, which believes the pairs where it has seen little, or an even spread.
struct Models {
  explicit Models(const Tokenizer& tokenizer) : pairs(tokenizer.vocab_size()), triples(tokenizer.vocab_size()) {}

  std::vector<double> after(Token first, Token second, bool lean_on_pairs) const {
    const std::size_t V = pairs.vocab_size();
    const std::vector<double> prior =
        lean_on_pairs ? pairs.probabilities(second) : std::vector<double>(V, 1.0 / static_cast<double>(V));
    return probabilities(triples, first, second, prior, lean_on_pairs ? 8 : static_cast<double>(V));
  }

  double loss(std::span<const Token> tokens, bool lean_on_pairs) const {
    double total = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      total += -std::log(after(before(tokens, i), tokens[i], lean_on_pairs)[tokens[i + 1]]);
    }
    return total / static_cast<double>(tokens.size() - 1);
  }

  Bigram pairs;
  Trigram triples;
};

/// A name of at most 16 letters, drawn with pairs or with triples.
std::string draw(const Models& models, bool with_triples, const Tokenizer& tokenizer, PythonRandom& random) {
  std::vector<Token> name{tokenizer.bos()};
  while (name.size() < 17) {
    const Token last = name.back();
    const Token next = random.choice(with_triples ? models.after(before(name, name.size() - 1), last, true)
                                                  : models.pairs.probabilities(last));
    if (next == tokenizer.bos()) break;
    name.push_back(next);
  }
  return tokenizer.decode(std::span(name).subspan(1));
}

}  // namespace

TEST_CASE("the first token comes after BOS, BOS") {
  Trigram model(3);
  count(model, anna);
  INFO("hint: for the first prediction there is only one token before it: BOS stands for both");
  CHECK(model.at(bos, bos, a) == 1);
}

TEST_CASE("every other token comes after the two before it, and a name of four letters has five predictions") {
  Trigram model(3);
  count(model, anna);
  INFO("hint: BOS a -> n, a n -> n, n n -> a, n a -> BOS");
  CHECK(model.at(bos, a, n) == 1);
  CHECK(model.at(a, n, n) == 1);
  CHECK(model.at(n, n, a) == 1);
  CHECK(model.at(n, a, bos) == 1);
  CHECK(std::accumulate(model.counts.begin(), model.counts.end(), 0.0) == 5);
}

TEST_CASE("with nothing counted it believes its prior, however firmly") {
  const std::vector<double> prior{0.5, 0.25, 0.25};
  for (double strength : {1.0, 100.0}) {
    const std::vector<double> p = probabilities(Trigram(3), bos, bos, prior, strength);
    REQUIRE(p.size() == 3);
    INFO("hint: it has seen `strength` imaginary examples and no others; each token's share of them is its prior");
    for (Token next = 0; next < 3; next++) CHECK(p[next] == doctest::Approx(prior[next]));
  }
}

TEST_CASE("one example moves a weak belief far and a firm belief a little") {
  Trigram model(3);
  count(model, anna);
  INFO("hint: after a n came n, once. With two imaginary examples: (1 + 2/3) of 3");
  CHECK(probabilities(model, a, n, even, 2).at(n) == doctest::Approx((1 + 2.0 / 3) / 3));
  CHECK(probabilities(model, a, n, even, 200).at(n) == doctest::Approx((1 + 200.0 / 3) / 201));
  INFO("hint: whatever the counts are, the probabilities add up to 1");
  const std::vector<double> p = probabilities(model, a, n, even, 2);
  CHECK(std::accumulate(p.begin(), p.end(), 0.0) == doctest::Approx(1));
}

TEST_CASE("triples that lean on pairs beat both pairs and triples that lean on nothing") {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const auto [training, held_out] = split(documents);
  const Tokenizer tokenizer(documents);
  Models models(tokenizer);
  std::size_t counted = 0;
  for (std::size_t most : {std::size_t{1000}, training.size()}) {
    for (; counted < most; counted++) {
      const std::vector<Token> tokens = tokenizer.encode_document(training[counted]);
      models.pairs.count(tokens);
      count(models.triples, tokens);
    }
    const double pairs = mean_loss([&](auto tokens) { return models.pairs.loss(tokens); }, held_out, tokenizer).mean;
    const double alone = mean_loss([&](auto tokens) { return models.loss(tokens, false); }, held_out, tokenizer).mean;
    const double leaning = mean_loss([&](auto tokens) { return models.loss(tokens, true); }, held_out, tokenizer).mean;
    fmt::print("counted {:5} names: pairs {:.4f}, triples and one more {:.4f}, triples that lean on pairs {:.4f}\n",
               most, pairs, alone, leaning);
    INFO("hint: if the losses are far off, look at the first token of a name once more");
    CHECK(leaning < pairs);
    CHECK(leaning < alone);
  }
  PythonRandom random(1);
  for (bool with_triples : {false, true}) {
    fmt::print("{}", with_triples ? "with triples:" : "with pairs:  ");
    for (int i = 0; i < 8; i++) fmt::print(" {}", draw(models, with_triples, tokenizer, random));
    fmt::print("\n");
  }
}
