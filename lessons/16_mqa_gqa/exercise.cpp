// Exercise 16: fewer heads of keys and values for a model that is trained already. Nobody wants to train a large model
// again because its cache is too large. Ainslie and others (2023) pool: a group of query heads gets the mean of the
// keys and values that its heads used to read, and the model is trained a little more. But which heads should form a
// group? The four heads can be put into any order first, if everything that belongs to a head moves with it.
//
//   make exercise-16    fails until reorder() and pool() are right, and hints at what is missing
//   make solution-16    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"

using namespace microgpt;

using Order = std::vector<std::size_t>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Sets the matrices of `to` from those of `from`, which have the same shapes, so that head i of the new model is head
/// order[i] of the old one, and the model computes the same. A head has D numbers.
void reorder([[maybe_unused]] const Parameters& from, [[maybe_unused]] const Parameters& to,
             [[maybe_unused]] const Order& order, [[maybe_unused]] std::size_t D) {
  // TODO: from["layer0.attn_wq"] is a matrix (C,C), .row(i)[c] a number of it, which can be set in `to`. Each row makes
  // one number of its output. Which matrices make numbers of a head? Which one reads them?
}

/// Sets W_K, or W_V, of few heads, (G*D,C), from that of many, (H*D,C): each head is the mean of its group.
void pool([[maybe_unused]] const Parameter& many, [[maybe_unused]] const Parameter& few,
          [[maybe_unused]] std::size_t D) {
  // TODO: how many heads become one? Row d of the new head is the mean of the rows d of these heads.
}
#endif

namespace {

void copy(const Parameters& from, const Parameters& to) {
  for (const Parameter& matrix : to.matrices()) {
    const Parameter& old = from[matrix.name];
    if (old.size() == matrix.size()) std::copy_n(old.data, old.size(), matrix.data);
  }
}

/// The numbers of the rows, one each, after pooling four heads of two rows. Row d of head h holds 10 h + d.
std::string pooled(std::size_t heads) {
  const Parameters many({{"w", 8, 3}}), few({{"w", heads * 2, 3}});
  for (std::size_t i = 0; i < 8; i++) {
    for (double& number : many["w"].row(i)) number = static_cast<double>(10 * (i / 2) + i % 2);
  }
  pool(many["w"], few["w"], 2);
  std::string numbers;
  for (std::size_t i = 0; i < heads * 2; i++) {
    CHECK(few["w"].row(i)[0] == few["w"].row(i)[2]);
    numbers += fmt::format("{} ", few["w"].row(i)[0]);
  }
  return numbers;
}

/// A model of four heads that has been trained.
struct Trained {
  std::vector<Document> documents = read_documents("data/names.txt");
  Tokenizer tokenizer = Tokenizer(documents);
  Split names = split(documents);
  Config config{.vocab_size = tokenizer.vocab_size()};
  Parameters parameters = Parameters(gpt_shapes(config));

  Trained() {
    PythonRandom random(1);
    draw_weights(parameters, 0.08, random);
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

  Parameters in_order(const Order& order) const {
    const Parameters other(gpt_shapes(config));
    copy(parameters, other);
    for (const char* name : {"attn_wq", "attn_wk", "attn_wv", "attn_wo"}) {
      const Parameter& matrix = other[std::string("layer0.") + name];
      std::fill_n(matrix.data, matrix.size(), 0.0);
    }
    reorder(parameters, other, order, config.head_dim());
    Parameters result(gpt_shapes(config));
    copy(other, result);
    return result;
  }
};

}  // namespace

TEST_CASE("heads in another order make the same model") {
  const Trained model;
  const double before = model.loss(model.config, model.parameters);
  const Parameters same = model.in_order({0, 1, 2, 3});
  {
    INFO("hint: in this order nothing changes, so all four matrices are to be copied");
    CHECK(std::equal(same.data().begin(), same.data().end(), model.parameters.data().begin()));
  }
  for (const Order& order : {Order{1, 0, 2, 3}, Order{2, 0, 3, 1}}) {
    const Parameters other = model.in_order(order);
    INFO(
        fmt::format("order {}, {}, {}, {}; hint: W_Q, W_K and W_V make the numbers of a head, D rows each; W_O reads "
                    "them, so its D *columns* must move with the head",
                    order[0], order[1], order[2], order[3]));
    CHECK(std::abs(model.loss(model.config, other) - before) < 1e-9);
    INFO("hint: the first D rows of the new W_K are the rows of old head order[0]");
    CHECK(other["layer0.attn_wk"].row(0)[0] ==
          model.parameters["layer0.attn_wk"].row(order[0] * model.config.head_dim())[0]);
  }
}

TEST_CASE("four heads to two: each is the mean of two neighbours") {
  INFO("hint: query heads 0 and 1 will read head 0, so it is made of heads 0 and 1: (0 + 10) / 2 and (1 + 11) / 2");
  CHECK(pooled(2) == "5 6 25 26 ");
}

TEST_CASE("four heads to one, and four heads to four") {
  INFO("hint: (0 + 10 + 20 + 30) / 4 in row 0, and one more in row 1");
  CHECK(pooled(1) == "15 16 ");
  CHECK(pooled(4) == "0 1 10 11 20 21 30 31 ");
}

TEST_CASE("which heads should share?") {
  const Trained model;
  Config fewer = model.config;
  fewer.n_kv_head = 2;
  const double before = model.loss(model.config, model.parameters);
  MESSAGE(fmt::format("four heads of keys and values: held-out loss {:.3f}", before));
  double worst = 0, worst_later = 0;
  auto report = [&](const char* what, const Order& order, bool use_pool) {
    const Parameters ordered = model.in_order(order);
    Parameters made(gpt_shapes(fewer));
    copy(ordered, made);
    for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"}) {
      if (use_pool) pool(ordered[name], made[name], model.config.head_dim());
    }
    const double at_once = model.loss(fewer, made);
    model.train(fewer, made, {.num_steps = 50, .batch_size = 16, .learning_rate = 0.003});
    const double later = model.loss(fewer, made);
    MESSAGE(fmt::format("{} {:.3f} at once, {:.3f} after 50 more steps", what, at_once, later));
    if (use_pool) worst = std::max(worst, at_once);
    if (use_pool) worst_later = std::max(worst_later, later);
    return at_once;
  };
  report("heads 0 1 and 2 3 pooled:         ", {0, 1, 2, 3}, true);
  report("heads 0 2 and 1 3 pooled:         ", {0, 2, 1, 3}, true);
  report("heads 0 3 and 1 2 pooled:         ", {0, 3, 1, 2}, true);
  const double without = report("two heads without keys and values:", {0, 1, 2, 3}, false);
  INFO("hint: the other cases must pass first");
  CHECK(worst < without);
  CHECK(worst_later < worst);
}
