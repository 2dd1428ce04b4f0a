#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/python_random.h"
#include "base/schedule.h"
#include "first_difference.h"
#include "leaves.h"
#include "scalar/ops.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

TEST_CASE("a step goes against the gradient, which becomes zero") {
  Parameters parameters({{"w", 1, 2}});
  parameters.data()[0] = 10, parameters.data()[1] = 20;
  parameters.grad()[0] = 4, parameters.grad()[1] = -8;
  sgd_update(parameters, 0.25);
  CHECK(first_difference(parameters.data(), Numbers{9, 22}) == "");
  CHECK(first_difference(parameters.grad(), Numbers{0, 0}) == "");
}

TEST_CASE("the learning rate falls in a straight line to zero, and documents are taken in turn") {
  Parameters parameters({{"w", 1, 1}});
  const Matrix w(parameters["w"]);
  const std::vector<Document> documents{U"a", U"abc"};
  const Tokenizer tokenizer(documents);
  Numbers losses;
  Numbers steps;
  // The loss is the number of tokens times w, so each step takes off tokens * learning rate.
  Sgd sgd;
  train([&](std::span<const Token> tokens) { return w[0][0] * static_cast<double>(tokens.size()); }, parameters, sgd,
        documents, tokenizer, {.num_steps = 4, .learning_rate = 1.0},
        [&](std::size_t step, double loss) {
          steps.push_back(static_cast<double>(step));
          losses.push_back(loss);
        });
  CHECK(steps == Numbers{1, 2, 3, 4});
  // w: 0, -3, -3 - 0.75 * 5 = -6.75, -6.75 - 0.5 * 3 = -8.25, -8.25 - 0.25 * 5 = -9.5
  CHECK(losses == Numbers{3 * 0.0, 5 * -3.0, 3 * -6.75, 5 * -8.25});
  CHECK(parameters.data()[0] == -9.5);
}

// Both in double; they differ by fused multiply-adds and by pow against sqrt: a few roundings of numbers up to 1.
TEST_CASE("both paths make the same steps of the same gradients, whoever takes which rows") {
  struct Case {
    OptimizerName name;
    const Kernels<double>& kernels;
  };
  for (const Case& c : {Case{OptimizerName::adam, naive<double>()}, Case{OptimizerName::adam, fast<double>()},
                        Case{OptimizerName::sgd, fast<double>()}}) {
    PythonRandom random(7);
    const TrainConfig how{.num_steps = 100, .learning_rate = 0.1, .optimizer = c.name};
    Parameters parameters({{"w", 5, 7}});
    draw_weights(parameters, 0.3, random);
    Weight<double> weight(5, 7);
    const View<double> data = weight.data.view();
    const View<double> grad = weight.grad.view();
    auto for_all = [](auto action) {
      for (std::size_t i = 0; i < 5; i++) {
        for (std::size_t j = 0; j < 7; j++) action(i, j);
      }
    };
    for_all([&](std::size_t i, std::size_t j) { data.row(i)[j] = parameters["w"].row(i)[j]; });
    const std::unique_ptr<Optimizer> one = make_optimizer(how, parameters.size());
    std::vector<Weight<double>*> weights{&weight};
    const auto other = make_optimizer<double>(how, weights, c.kernels);
    for (std::size_t step = 0; step < 50; step++) {
      for_all(
          [&](std::size_t i, std::size_t j) { parameters["w"].grad_row(i)[j] = grad.row(i)[j] = random.gauss(0, 1); });
      one->update(parameters, learning_rate(how, step), step);
      other->begin(learning_rate(how, step), step);
      other->update(0, weight, {0, 2});
      other->update(0, weight, {2, 3});
      for_all(
          [&](std::size_t i, std::size_t j) { CHECK(std::abs(data.row(i)[j] - parameters["w"].row(i)[j]) < 1e-13); });
    }
  }
}

}  // namespace
}  // namespace microgpt
