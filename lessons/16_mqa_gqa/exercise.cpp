// Exercise 13: fewer heads for a model that is trained already. Nobody wants to train a large model again because its
// cache is too large. So its heads of keys and values are pooled: each group of query heads gets the mean of the heads
// that they used to read. Then a little more training, and the model has got used to it (Ainslie et al. 2023).
//
//   make exercise-16    fails until pool() is right, and hints at what is missing
//   make solution-16    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Sets W_K, or W_V, of few heads, (G*D,C), from that of many, (H*D,C). A head has D rows, one below the other. In the
/// smaller model query head h reads head h / (H / G).
void pool([[maybe_unused]] const Parameter& many, [[maybe_unused]] const Parameter& few,
          [[maybe_unused]] std::size_t D) {
  // TODO: how many heads become one? Row d of the new head is the mean of the rows d of these heads. many.row(i) is
  // row i, and few.row(i)[c] = ... sets a number of it.
}
#endif

namespace {

/// A matrix of so many heads of 2 rows and 3 columns. Row d of head h holds 10 h + d.
Parameters numbered(std::size_t heads) {
  Parameters matrix({{"w", heads * 2, 3}});
  for (std::size_t i = 0; i < heads * 2; i++) {
    for (double& number : matrix["w"].row(i)) number = 10.0 * (i / 2) + i % 2;
  }
  return matrix;
}

/// The numbers of the rows, one each, after pooling four heads to so many.
std::string pooled(std::size_t heads) {
  const Parameters many = numbered(4);
  const Parameters few({{"w", heads * 2, 3}});
  pool(many["w"], few["w"], 2);
  std::string numbers;
  for (std::size_t i = 0; i < heads * 2; i++) {
    CHECK(few["w"].row(i)[0] == few["w"].row(i)[2]);
    numbers += fmt::format("{} ", few["w"].row(i)[0]);
  }
  return numbers;
}

/// A model of four heads that has been trained, and how others do that are made of it.
struct Trained {
  std::vector<Document> documents = read_documents("data/names.txt");
  Tokenizer tokenizer = Tokenizer(documents);
  Split names = split(documents);
  Config config{.vocab_size = tokenizer.vocab_size()};
  Parameters parameters;

  Trained() : parameters(gpt_shapes(config)) {
    PythonRandom random(1);
    parameters = initialize(config, {}, random);
    train(config, parameters, {.num_steps = 500, .batch_size = 16});
  }

  void train(const Config& of, Parameters& numbers, const TrainConfig& budget) const {
    BatchTrainer<double> trainer(of, budget, numbers, names.training, tokenizer, {});
    for (std::size_t step = 0; step < budget.num_steps; step++) trainer.step();
    trainer.model().copy_to(numbers);
  }

  double loss(const Config& of, const Parameters& numbers) const {
    TensorModel<double> model(of, numbers);
    return token_loss(model, names.held_out, tokenizer, 1);
  }

  /// Two heads instead of four: W_K and W_V are made by `make(many, few)`, all else stays.
  template <class Make>
  Parameters with_two_heads(const Config& fewer, Make make) const {
    Parameters made(gpt_shapes(fewer));
    for (const Parameter& to : made.matrices()) {
      const Parameter& from = parameters[to.name];
      if (from.size() == to.size()) {
        std::copy_n(from.data, from.size(), to.data);
      } else {
        make(from, to);
      }
    }
    return made;
  }
};

}  // namespace

TEST_CASE("four heads to two: each is the mean of two neighbours") {
  INFO("hint: query heads 0 and 1 will read head 0, so it is made of heads 0 and 1: (0 + 10) / 2 and (1 + 11) / 2");
  CHECK(pooled(2) == "5 6 25 26 ");
}

TEST_CASE("four heads to one: the mean of all") {
  INFO("hint: (0 + 10 + 20 + 30) / 4 in row 0, and one more in row 1");
  CHECK(pooled(1) == "15 16 ");
}

TEST_CASE("four heads to four: nothing changes") { CHECK(pooled(4) == "0 1 10 11 20 21 30 31 "); }

TEST_CASE("a trained model gets used to pooled heads") {
  const Trained model;
  Config fewer = model.config;
  fewer.n_kv_head = 2;
  const double before = model.loss(model.config, model.parameters);
  auto report = [&](const char* what, auto make) {
    Parameters made = model.with_two_heads(fewer, make);
    const double at_once = model.loss(fewer, made);
    model.train(fewer, made, {.num_steps = 50, .batch_size = 16, .learning_rate = 0.003});
    const double later = model.loss(fewer, made);
    MESSAGE(fmt::format("four heads {:.3f}; {} {:.3f}, after 50 steps more {:.3f}", before, what, at_once, later));
    return std::pair(at_once, later);
  };
  const auto mean = report("two pooled", [&](auto& many, auto& few) { pool(many, few, model.config.head_dim()); });
  const auto none = report("without keys and values", [](auto&, auto&) {});
  report("the first head of two", [&](const Parameter& many, const Parameter& few) {
    const std::size_t D = model.config.head_dim();
    for (std::size_t i = 0; i < few.rows; i++) {
      const std::span<const double> row = many.row(i / D * 2 * D + i % D);
      std::copy(row.begin(), row.end(), few.row(i).begin());
    }
  });
  INFO("hint: the other cases must pass first");
  CHECK(mean.first < none.first);
  CHECK(mean.second < mean.first);
}
