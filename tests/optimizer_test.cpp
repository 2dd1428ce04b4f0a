#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <utility>

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
  const Scope scope;
  const Values params{10.0, 20.0};
  params[0].node->grad = 4, params[1].node->grad = -8;
  sgd_update(params, 0.25);
  CHECK(params.data() == Numbers{9, 22});
  for (const Value p : params) CHECK(p.grad() == 0);
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
    const Scope scope;
    const List params = StateDict(parameters).params;
    const View<double> data{parameters.data().data(), 5, 7, 7};
    const View<double> grad{parameters.grad().data(), 5, 7, 7};
    Weight<double> weight(5, 7);
    copy(weight.data.view(), data);
    const Optimizer one = name == OptimizerName::adam ? adam_optimizer(how, params.size()) : sgd_update;
    std::vector<Weight<double>*> weights{&weight};
    BatchOptimizer<double> other(how, weights);
    for (std::size_t step = 0; step < 50; step++) {
      for (std::size_t i = 0; i < params.size(); i++) grad.data[i] = params[i].node->grad = random.gauss(0, 1);
      copy(weight.grad.view(), grad);
      for (const Value p : params) p.node->data *= 1 - learning_rate(how, step) * how.weight_decay;
      one(params, learning_rate(how, step), step);
      copy_data(params, parameters);
      other.begin(learning_rate(how, step), step);
      other.update(0, weight, {0, 2}, *kernels);
      other.update(0, weight, {2, 3}, *kernels);
      CHECK(largest_difference(weight.data.view(), data) < 1e-13);
    }
  }
}

TEST_CASE("two steps of Adam are what they are by hand, with eps added to the root, not under it") {
  // Numbers of few bits, so that nothing is rounded.
  Adam adam = make_adam({.beta1 = 0.5, .beta2 = 0.75, .eps_adam = 4}, 1);
  const Scope scope;
  const Values params{10.0};
  double &w = params[0].node->data, &grad = params[0].node->grad;
  grad = 4;
  adam.update(params, 1, 0);
  // m = 2, m_hat = 2 / (1 - 1/2) = 4;  v = 16/4 = 4, v_hat = 4 / (1 - 3/4) = 16
  CHECK(w == 10 - 4.0 / (4 + 4));
  grad = -4;
  adam.update(params, 0.75, 1);
  // m = 1 - 2 = -1, m_hat = -1 / (1 - 1/4) = -4/3;  v = 3 + 4 = 7, v_hat = 7 / (1 - 9/16) = 16
  CHECK(w == 9.5 + 1.0 / (4 + 4));
}

}  // namespace
}  // namespace microgpt
