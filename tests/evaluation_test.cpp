// What a trained model is worth, and what it generates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "base/python_random.h"
#include "microgpt.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "tensor/gpt.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/ngram.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

// --- Evaluation ------------------------------------------------------------------------------------------------------

/// A loss that is known beforehand: how many tokens the document has, the two BOS not counted.
Value length(std::span<const Token> tokens) { return static_cast<double>(tokens.size() - 2); }

TEST_CASE("each document counts the same, whatever its length") {
  const std::vector<Document> documents{U"a", U"ab", U"abcabc"};
  const Tokenizer tokenizer(documents);
  CHECK(document_losses(length, documents, tokenizer) == std::vector<double>{1, 2, 6});
  CHECK(mean_loss(length, documents, tokenizer).mean == 3);
}

TEST_CASE("an estimate is the mean, the deviation by n - 1, and that divided by the root of n") {
  const std::vector<double> numbers{2, 4, 4, 6};  // squares of the deviations: 4 0 0 4
  const Estimate e = estimate(numbers);
  CHECK(e.mean == 4);
  CHECK(e.stddev == std::sqrt(8.0 / 3));
  CHECK(e.standard_error == std::sqrt(8.0 / 3) / 2);
}

TEST_CASE("an invented name is listed if it stands among the documents, letter for letter") {
  const std::vector<Document> documents{U"ab", U"b"};
  const Tokenizer tokenizer(documents);
  const std::vector<std::vector<Token>> names{{0, 1}, {0}, {1}, {0, 1}, {}};
  CHECK(count_listed(names, documents, tokenizer) == 3);
  CHECK(count_listed(names, std::span(documents).first(1), tokenizer) == 2);
}

// --- Held out --------------------------------------------------------------------------------------------------------

/// Documents of different lengths, two of them longer than the block, more of them than a batch takes.
struct HeldOut {
  HeldOut() {
    for (std::size_t i = 0; i < 300; i++)
      documents.push_back(keep(std::u32string(1 + i % 4, U'a') + (i % 2 == 0 ? U"b" : U"")));
    documents[7] = U"abbabba";
  }
  const Tokenizer tokenizer{U"ab"};
  const Config config{.vocab_size = 3, .n_layer = 1, .n_embd = 4, .n_head = 2, .block_size = 4};
  PythonRandom random{1};
  Parameters parameters = initialize(config, {.init_std = 0.5}, random);
  TensorModel<double> model{config, parameters};
  std::vector<Document> documents;
};

TEST_CASE_FIXTURE(HeldOut, "a loss of tokens is the mean over all predictions within the block") {
  const Model scalar = scalar_model(config, parameters);
  double total = 0;
  std::size_t predictions = 0;
  for (const Document& document : documents) {
    const Scope scope;
    const std::size_t n = std::min<std::size_t>(4, document.size() + 1);
    total += document_loss(scalar, tokenizer.encode_document(document)).data() * static_cast<double>(n);
    predictions += n;
  }
  const double expected = total / static_cast<double>(predictions);
  for (const std::size_t threads : {1, 3}) {
    CHECK(token_loss<double>(model, documents, tokenizer, threads) == doctest::Approx(expected).epsilon(1e-12));
  }
  const Split split{documents, documents};
  const Quality quality = evaluate(model, split, tokenizer, 1, random, 2);
  CHECK(quality.loss == doctest::Approx(expected).epsilon(1e-12));
  CHECK(quality.predictions == predictions);
}

TEST_CASE("the bigram loss counts the training documents and is the mean over the held-out tokens") {
  const Tokenizer tokenizer(U"ab");
  // Counted pairs: . a, a b, b ., each once more than it was seen; from every token 4 in all.
  const Split split{{U"ab"}, {U"ab", U"b"}};
  const double seen = std::log(4.0 / 2), unseen = std::log(4.0 / 1);
  CHECK(bigram_token_loss(split, tokenizer) == doctest::Approx((3 * seen + unseen + seen) / 5).epsilon(1e-12));
}

TEST_CASE_FIXTURE(HeldOut, "a name is new if it is neither in the training documents nor in those held out") {
  for (std::size_t i = 0; i < parameters.size(); i++) parameters.data()[i] = 0;  // every token is as likely
  TensorModel<double> even(config, parameters);
  auto share = [&](const Split& split) {
    PythonRandom same(5);
    return evaluate(even, split, tokenizer, 1, same, 1);
  };
  const double without_a = share({{U"bbbb"}, {U"bbbb"}}).new_share;
  const double training = without_a - share({{U"a"}, {U"bbbb"}}).new_share;
  CHECK(std::abs(training - 1.0 / 9) < 5 * std::sqrt(8.0 / 81 / 1000));
  CHECK(without_a - share({{U"bbbb"}, {U"a"}}).new_share == doctest::Approx(training));
  CHECK(share({{U"a"}, {U"b"}}).names.size() == 20);
}

// --- Sampling --------------------------------------------------------------------------------------------------------

using Tokens = std::vector<Token>;

/// A small untrained model.
struct SamplingFixture {
  const Config config{.vocab_size = 6, .n_layer = 1, .n_embd = 4, .n_head = 2, .block_size = 5};
  PythonRandom random{42};
  Parameters parameters = initialize(config, {.init_std = 0.5}, random);
  Model model = scalar_model(config, parameters);
};

TEST_CASE_FIXTURE(SamplingFixture, "a sample has at most block_size tokens, and BOS is not among them") {
  std::size_t longest = 0;
  for (int i = 0; i < 200; i++) {
    const Tokens tokens = sample(model, 1.0, random);
    longest = std::max(longest, tokens.size());
    CHECK(std::count(tokens.begin(), tokens.end(), config.vocab_size - 1) == 0);
  }
  CHECK(longest == config.block_size);
}

TEST_CASE_FIXTURE(SamplingFixture,
                  "documents that grow side by side are the same for any number of rows and of documents") {
  TensorModel<float> tensor_model(config, parameters);
  auto documents = [&](std::size_t rows, std::size_t num) {
    Decoder<float> decoder(tensor_model, fast<float>(), rows);
    return sample_many(decoder, 0, num, 1, 7, Tokens{3});
  };
  const std::vector<Tokens> alone = documents(1, 40);
  CHECK(std::set(alone.begin(), alone.end()).size() > 10);
  for (const Tokens& document : alone) {
    CHECK(document.front() == 3);
    CHECK(document.size() <= config.block_size);
    CHECK(std::count(document.begin(), document.end(), config.vocab_size - 1) == 0);
  }
  for (const std::size_t rows : {2, 7, 64}) CHECK(documents(rows, 40) == alone);
  CHECK(documents(7, 23) == std::vector<Tokens>(alone.begin(), alone.begin() + 23));
  CHECK(documents(3, 0).empty());
}

TEST_CASE_FIXTURE(SamplingFixture,
                  "documents that grow side by side begin as often with each token as the model says") {
  constexpr std::size_t num = 20000;
  TensorModel<float> tensor_model(config, parameters);
  Decoder<float> decoder(tensor_model, fast<float>(), 16);
  const double temperature = 0.7;
  std::vector<double> expected;
  for (const float logit : decoder.next(config.vocab_size - 1)) expected.push_back(std::exp(logit / temperature));
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  std::vector<double> counts(config.vocab_size);
  for (const Tokens& document : sample_many(decoder, 0, num, temperature, 1)) {
    counts[document.empty() ? config.vocab_size - 1 : document.front()]++;
  }
  for (Token t = 0; t < config.vocab_size; t++) {
    const double p = expected[t] / total;
    CHECK(std::abs(counts[t] / num - p) < 4 * std::sqrt(p * (1 - p) / num));  // one in 15,000 is further away
  }
}

TEST_CASE_FIXTURE(SamplingFixture,
                  "the surprise at a document is that of its letters and of its end, within the block") {
  TensorModel<double> tensor_model(config, parameters);
  Decoder<double> decoder(tensor_model);
  for (const Tokens& document : {Tokens{5, 3, 1, 5}, Tokens{5, 0, 0, 1, 2, 4, 3, 5}}) {
    const std::size_t n = std::min<std::size_t>(document.size() - 1, config.block_size);
    const std::vector<double> nats = surprises(decoder, document);
    REQUIRE(nats.size() == n);
    const double total = std::accumulate(nats.begin(), nats.end(), 0.0);
    const Scope scope;
    CHECK(total / static_cast<double>(n) == doctest::Approx(document_loss(model, document).data()).epsilon(1e-12));
    const Mixture mixture{0.4, Ngram(config.vocab_size)};  // which has counted nothing: all tokens are as likely
    const double p = 0.4 * std::exp(-nats[0]) + 0.6 / static_cast<double>(config.vocab_size);
    CHECK(surprises(decoder, document, &mixture)[0] == doctest::Approx(-std::log(p)));
  }
}

TEST_CASE("predictions that are no numbers are not drawn from") {
  const Scope scope;
  PythonRandom random(1);
  for (double broken : {std::nan(""), HUGE_VAL}) {
    CHECK_THROWS_AS(draw_token({0.0, broken}, 1.0, random), Error);
    std::vector logits{0.0, broken};
    CHECK_THROWS_AS(draw<double>(logits, 1, 0.5), Error);
  }
}

}  // namespace
}  // namespace microgpt
