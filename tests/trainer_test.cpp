#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/python_random.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

/// A small model, three documents, and everything to train it.
struct TrainingFixture {
  const std::vector<Document> documents{U"ab", U"cab", U"b"};
  const Tokenizer tokenizer{documents};
  const Config config{.vocab_size = tokenizer.vocab_size(), .n_embd = 4, .n_head = 2, .block_size = 8};
  TrainConfig how{.num_steps = 5};
  PythonRandom random{42};
  const Scope scope{};
  const Model model = scalar_model(config, initialize(config, how, random));
  const Optimizer adam = adam_optimizer(how, model.params.size());
  const Loss loss = [this](std::span<const Token> tokens) { return document_loss(model, tokens); };

  void run(const OnStep& on_step) { train(loss, model.params, adam, documents, tokenizer, how, on_step); }

  double loss_of(std::size_t document) {
    return document_loss(model, tokenizer.encode_document(documents[document])).data();
  }
};

TEST_CASE_FIXTURE(TrainingFixture, "documents are taken in turn, and each loss is that from before its update") {
  std::vector<double> before{loss_of(0), loss_of(1), loss_of(2)};
  std::size_t steps = 0;
  run([&](std::size_t step, double value) {
    const std::size_t document = steps % 3;
    CHECK(step == ++steps);
    CHECK(value == before[document]);
    const std::vector<double> after{loss_of(0), loss_of(1), loss_of(2)};
    CHECK(after[document] < value);  // what was just learned is known a little better
    before = after;
  });
  CHECK(steps == 5);
}

}  // namespace
}  // namespace microgpt
