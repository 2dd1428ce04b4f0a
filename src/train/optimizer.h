// The optimizers of the scalar path. The tensor path's are in batch_optimizer.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"
#include "microgpt.h"

namespace microgpt {

/// Turns a gradient into a step of the parameters.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Moves every parameter against its gradient and sets the gradients to zero. Steps count from 0.
  virtual void update(Parameters& parameters, double learning_rate, std::size_t step) = 0;

  /// What it remembers from step to step: lists with a number for each parameter.
  virtual std::vector<std::span<double>> moments() { return {}; }
};

/// data -= learning_rate * grad for every parameter. Sets the gradients to zero.
void sgd_update(Parameters& parameters, double learning_rate);

/// Stochastic gradient descent.
class Sgd : public Optimizer {
 public:
  void update(Parameters& parameters, double learning_rate, std::size_t) override {
    sgd_update(parameters, learning_rate);
  }
};

/// Adam of src/microgpt.cpp, for n parameters.
class AdamOptimizer : public Optimizer {
 public:
  AdamOptimizer(const TrainConfig& train, std::size_t n)
      : adam_{train.beta1, train.beta2, train.eps_adam, std::valarray<double>(n), std::valarray<double>(n)} {}

  void update(Parameters& parameters, double learning_rate, std::size_t step) override {
    adam_.update(parameters.data_array(), parameters.grad_array(), learning_rate, step);
  }
  std::vector<std::span<double>> moments() override { return {numbers(adam_.m), numbers(adam_.v)}; }

 private:
  static std::span<double> numbers(std::valarray<double>& array) { return {std::begin(array), array.size()}; }

  Adam adam_;
};

/// How many lists of moments the optimizers that train.optimizer names have, on both paths.
inline std::size_t num_moments(const TrainConfig& train) { return train.optimizer == OptimizerName::adam ? 2 : 0; }

/// The optimizer that train.optimizer names, for n parameters.
std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& train, std::size_t n);

}  // namespace microgpt
