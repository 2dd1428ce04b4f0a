#include "train/held_out.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "base/python_random.h"
#include "base/tokenizer.h"
#include "scalar/gpt.h"
#include "tensor/gpt.h"

namespace microgpt {
namespace {

/// Documents of different lengths, two of them longer than the block, more of them than a batch takes.
struct HeldOut {
  HeldOut() {
    for (std::size_t i = 0; i < 300; i++)
      documents.push_back(std::u32string(1 + i % 4, U'a') + (i % 2 == 0 ? U"b" : U""));
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
  const Model scalar(config, parameters);
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

TEST_CASE_FIXTURE(HeldOut, "a loss that is not finite is refused with the largest number of the model") {
  parameters["lm_head"].row(1)[2] = 1e300;
  TensorModel<float> large(config, parameters);
  CHECK_THROWS_WITH_AS(evaluate(large, {documents, documents}, tokenizer, 1, random, 1),
                       doctest::Contains("first of all row 1, column 2 of lm_head, which is inf as a float"), Error);
}

}  // namespace
}  // namespace microgpt
