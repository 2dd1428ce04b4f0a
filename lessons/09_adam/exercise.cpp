// Exercise 09: only the sign, and only the likeliest. Adam moves a weight by m over the root of v, a number that is
// often near 1 or -1. So why not take just the sign? That saves v, half of what Adam has to remember. (Lion, of Chen
// et al., 2023, is such an optimizer.) The second part is another way to be careful when drawing: top-k keeps the k
// likeliest tokens and never draws another one.
//
//   make exercise-09    fails until both functions are written, and hints at what is missing
//   make solution-09    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Each parameter moves against the sign of beta1 * m + (1 - beta1) * gradient, by just learning_rate; not at all if
/// that is 0. Only then the mean is brought up to date: m = beta2 * m + (1 - beta2) * gradient. The gradients end as
/// zeros.
void sign_update(const List& params, [[maybe_unused]] std::vector<double>& m, double learning_rate,
                 [[maybe_unused]] double beta1, [[maybe_unused]] double beta2) {
  // TODO: this is SGD, which follows the gradient itself. Look at sgd_update() in src/train/optimizer.h.
  sgd_update(params, learning_rate);
}

/// The k largest probabilities, divided by their sum so that they sum to 1 again; the others become 0. No two are
/// equal.
std::vector<double> top_k(const std::vector<double>& probabilities, [[maybe_unused]] std::size_t k) {
  // TODO: how large is the k-th largest? std::sort or std::nth_element on a copy tells.
  return probabilities;
}
#endif

TEST_CASE("large or small, a steady gradient moves a parameter by the learning rate") {
  const Scope scope;
  const List params{0.0, 0.0, 0.0};
  std::vector<double> m(3);
  for (int step = 1; step <= 3; step++) {
    params[0].node->grad = 1000;
    params[1].node->grad = -0.001;
    sign_update(params, m, 0.25, 0.9, 0.99);
    INFO("hint: only the sign counts; std::copysign, or two comparisons");
    REQUIRE(params[0].data() == -0.25 * step);
    REQUIRE(params[1].data() == 0.25 * step);
    INFO("hint: a parameter that never had a gradient has no sign");
    REQUIRE(params[2].data() == 0);
  }
  INFO("hint: the next backward() adds to what is in grad");
  CHECK(params[0].grad() == 0);
}

TEST_CASE("one gradient that contradicts all before it does not change the direction") {
  const Scope scope;
  const Value p = 0.0;
  std::vector<double> m(1);
  auto move = [&](double gradient) {
    const double before = p.data();
    p.node->grad = gradient;
    sign_update({p}, m, 1, 0.75, 0.5);
    return p.data() - before;
  };
  for (int i = 0; i < 10; i++) move(1);  // m is nearly 1
  INFO("hint: 0.75 * 0.999 - 0.25 * 1 is positive: take the sign of the mix, not of the gradient");
  CHECK(move(-1) == -1);
  INFO("hint: m was 0.999, and one gradient of -1 made it about 0; m has to change after the move, with beta2");
  CHECK(std::abs(m[0]) < 0.001);
  CHECK(move(-1) == 1);
}

TEST_CASE("top-k keeps the k likeliest, in their proportions") {
  const std::vector<double> p = top_k({0.125, 0.5, 0.0625, 0.25, 0.05, 0.0125}, 2);
  INFO("hint: 0.5 and 0.25 stay, as 2/3 and 1/3; the others are never drawn");
  REQUIRE(p.size() == 6);
  CHECK(p[0] == 0);
  CHECK(p[1] == doctest::Approx(2.0 / 3));
  CHECK(p[2] == 0);
  CHECK(p[3] == doctest::Approx(1.0 / 3));
  CHECK(p[4] == 0);
  CHECK(p[5] == 0);
}

TEST_CASE("top-1 is certain, and top-k of all changes nothing") {
  const std::vector<double> p{0.25, 0.125, 0.625};
  INFO("hint: only the likeliest stays");
  CHECK(top_k(p, 1) == std::vector<double>{0, 0, 1});
  INFO("hint: k may be as large as the vocabulary, or larger");
  CHECK(top_k(p, 3) == p);
  CHECK(top_k(p, 10) == p);
}

TEST_CASE("what the sign alone is worth") {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  std::string report = fmt::format("trained on 1000 names, asked about {} others\n", names.held_out.size());
  std::vector<double> losses;
  auto try_it = [&](const char* name, const Optimizer& optimizer, double learning_rate) {
    PythonRandom random(42);
    std::vector<Document> training = names.training;
    random.shuffle(training);
    const Model model = scalar_model(config, initialize(config, {}, random));
    const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
    train(loss, model.params, optimizer, training, tokenizer, {.learning_rate = learning_rate});
    losses.push_back(mean_loss(loss, names.held_out, tokenizer).mean);
    report +=
        fmt::format("{:4} {:5} | loss {:.4f} {:24} | names by top-5:", name, learning_rate, losses.back(),
                    std::string(static_cast<std::size_t>(std::clamp((losses.back() - 2.47) * 500, 0.0, 24.0)), '#'));
    for (int i = 0; i < 4; i++) {
      const Scope scope;
      Cache keys(1), values(1);
      auto next = [&](Token token_id, std::size_t pos_id) {
        const Values logits = gpt(model, token_id, pos_id, keys, values);
        return Token{random.choice(top_k(Values(softmax(logits)).data(), 5))};
      };
      report += ' ' + tokenizer.decode(generate(next, tokenizer.bos(), 16));
    }
    report += '\n';
  };
  const std::size_t n = Parameters(gpt_shapes(config)).size();
  const auto sign = [m = std::vector<double>(n)](const List& params, double learning_rate, std::size_t) mutable {
    sign_update(params, m, learning_rate, 0.9, 0.99);
  };
  try_it("SGD", sgd_update, 0.3);
  try_it("Adam", adam_optimizer({}, n), 0.01);
  for (const double learning_rate : {0.001, 0.002, 0.003}) try_it("sign", sign, learning_rate);
  MESSAGE(report);
  INFO("hint: the sign of the mean should learn better than guessing by a good deal");
  CHECK(losses[2] < 2.6);
}
