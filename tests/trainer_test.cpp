#include "train/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"

namespace microgpt {
namespace {

/// A small model, three documents, and everything to train it.
struct TrainerFixture {
  const std::vector<Document> documents{U"ab", U"cab", U"b"};
  const Tokenizer tokenizer{documents};
  const Config config{.vocab_size = tokenizer.vocab_size(), .n_embd = 4, .n_head = 2, .block_size = 8};
  const TrainConfig train{.num_steps = 100};
  PythonRandom random{42};
  Parameters parameters = initialize(config, train, random);

  Trainer trainer(const TrainConfig& how) { return {config, how, parameters, documents, tokenizer}; }
  double loss_of(std::size_t document) {
    const Scope scope;
    return document_loss(Model(config, parameters), tokenizer.encode_document(documents[document])).data();
  }
};

TEST_CASE_FIXTURE(TrainerFixture, "documents are taken in turn, and each loss is that from before its update") {
  Trainer training = trainer(train);
  for (std::size_t document : {0, 1, 2, 0, 1}) {
    const double expected = loss_of(document);
    CHECK(training.step() == expected);
    CHECK(loss_of(document) < expected);  // what was just learned is known a little better
  }
  CHECK(training.steps_done() == 5);
}

TEST_CASE_FIXTURE(TrainerFixture, "a step leaves neither gradients nor nodes behind") {
  const std::size_t before = tape.size();
  Trainer training = trainer(train);
  training.step();
  CHECK(tape.size() == before);
  CHECK(training.nodes() > 0);
  CHECK(std::count(parameters.grad().begin(), parameters.grad().end(), 0.0) == std::ssize(parameters.grad()));
}

TEST_CASE_FIXTURE(TrainerFixture, "a loss that is not finite ends the training with the number of the step") {
  const std::size_t before = tape.size();
  TrainConfig wild = train;
  wild.learning_rate = 1e300;
  Trainer training = trainer(wild);
  auto run = [&] {
    while (training.steps_done() < 100) training.step();
  };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("training diverged"), Error);
  const std::string where = "step " + std::to_string(training.steps_done() + 1) + ":";
  CHECK_THROWS_WITH_AS(training.step(), doctest::Contains(where.c_str()), Error);
  CHECK(tape.size() == before);
}

}  // namespace
}  // namespace microgpt
