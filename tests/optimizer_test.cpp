#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "base/schedule.h"
#include "fenced.h"
#include "first_difference.h"
#include "train/batch_optimizer.h"
#include "train/scalar_trainer.h"

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

// Both in double; they differ by fused multiply-adds and by pow against sqrt: a few roundings of numbers up to 1.
TEST_CASE("both paths make the same steps of the same gradients, whoever takes which rows, after the weights decay") {
  for (const auto& [name, kernels] : {std::pair(OptimizerName::adam, &naive<double>()),
                                      {OptimizerName::adam, &fast<double>()},
                                      {OptimizerName::sgd, &fast<double>()}}) {
    PythonRandom random(7);
    const TrainConfig how{.num_steps = 100, .learning_rate = 0.1, .optimizer = name, .weight_decay = 0.5};
    Parameters parameters({{"w", 5, 7}});
    draw_weights(parameters, 0.3, random);
    const View<double> data{parameters.data().data(), 5, 7, 7};
    const View<double> grad{parameters.grad().data(), 5, 7, 7};
    Weight<double> weight(5, 7);
    copy(weight.data.view(), data);
    const std::unique_ptr<Optimizer> one = make_optimizer(how, parameters.size());
    std::vector<Weight<double>*> weights{&weight};
    const auto other = make_optimizer<double>(how, weights, *kernels);
    for (std::size_t step = 0; step < 50; step++) {
      for (double& g : parameters.grad()) g = random.gauss(0, 1);
      copy(weight.grad.view(), grad);
      for (double& w : parameters.data()) w *= 1 - learning_rate(how, step) * how.weight_decay;
      one->update(parameters, learning_rate(how, step), step);
      other->begin(learning_rate(how, step), step);
      other->update(0, weight, {0, 2});
      other->update(0, weight, {2, 3});
      CHECK(largest_difference(weight.data.view(), data) < 1e-13);
    }
  }
}

// Numbers of few bits, so that everything can be worked out by hand and nothing is rounded.
constexpr TrainConfig by_hand{.num_steps = 4, .learning_rate = 1, .beta1 = 0.5, .beta2 = 0.75, .eps_adam = 0};

/// One update with the given gradient everywhere.
void update(AdamOptimizer& adam, Parameters& parameters, double grad, std::size_t step) {
  std::fill(parameters.grad().begin(), parameters.grad().end(), grad);
  adam.update(parameters, learning_rate(by_hand, step), step);
}

TEST_CASE("two steps of Adam are what they are by hand") {
  Parameters parameters({{"w", 1, 1}});
  double& w = parameters.data()[0];
  w = 10;
  AdamOptimizer adam(by_hand, parameters.size());
  update(adam, parameters, 4, 0);
  // m = 2, m_hat = 2 / (1 - 1/2) = 4;  v = 16/4 = 4, v_hat = 4 / (1 - 3/4) = 16;  lr = 1
  CHECK(w == 10 - 4.0 / 4);
  update(adam, parameters, -4, 1);
  // m = 1 - 2 = -1, m_hat = -1 / (1 - 1/4) = -4/3;  v = 3 + 4 = 7, v_hat = 7 / (1 - 9/16) = 16;  lr = 3/4
  CHECK(w == 9 + 0.25);
}

TEST_CASE("eps is added to the root, not under it") {
  Parameters parameters({{"w", 1, 1}});
  TrainConfig train = by_hand;
  train.eps_adam = 4;
  AdamOptimizer adam(train, parameters.size());
  update(adam, parameters, 4, 0);
  CHECK(parameters.data()[0] == -4.0 / (4 + 4));
}

TEST_CASE("the schedules go from the learning rate to almost zero: a straight line, and half a wave") {
  const TrainConfig gist = preset("gist").train;
  const TrainConfig walkthrough = preset("walkthrough").train;
  CHECK(learning_rate(gist, 0) == 0.01);
  CHECK(learning_rate(gist, 1) == 0x1.475a31a4bdba1p-7);  // the last digits are CPython's
  CHECK(learning_rate(gist, 500) == 0.005);
  CHECK(learning_rate(gist, 999) == 0x1.4f8b588e368f6p-17);
  CHECK(learning_rate(walkthrough, 0) == 0.01);
  CHECK(learning_rate(walkthrough, 1) == 0x1.47ad408855a1ep-7);
  CHECK(learning_rate(walkthrough, 250) == 0.005);
  CHECK(learning_rate(walkthrough, 499) == 0x1.a7e5174ba3d71p-24);
}

}  // namespace
}  // namespace microgpt
