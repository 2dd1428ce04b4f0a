// The optimizers of the scalar path. The tensor path's are in batch_optimizer.h.
#pragma once

#include <cstddef>
#include <functional>

#include "base/config.h"
#include "microgpt.h"

namespace microgpt {

/// Moves every parameter against its gradient and sets the gradients to zero. Steps count from 0.
using Optimizer = std::function<void(const List& params, double learning_rate, std::size_t step)>;

/// Stochastic gradient descent.
inline void sgd_update(const List& params, double learning_rate, std::size_t = 0) {
  for (const Value p : params) {
    p.node->data -= learning_rate * p.grad();
    p.node->grad = 0;
  }
}

/// Adam of src/microgpt.cpp, for n parameters, before its first step.
inline Adam make_adam(const TrainConfig& train, std::size_t n) {
  const std::vector<double> zeros(n);
  return {train.beta1, train.beta2, train.eps_adam, zeros, zeros};
}

/// The same as an Optimizer.
inline Optimizer adam_optimizer(const TrainConfig& train, std::size_t n) {
  return [adam = make_adam(train, n)](const List& params, double learning_rate, std::size_t step) mutable {
    adam.update(params, learning_rate, step);
  };
}

/// How many lists of moments the optimizers that train.optimizer names have, on both paths.
inline std::size_t num_moments(const TrainConfig& train) { return train.optimizer == OptimizerName::adam ? 2 : 0; }

}  // namespace microgpt
