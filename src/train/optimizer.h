// The optimizers of the scalar path. A new one is written twice: here for all parameters at once, and in
// batch_optimizer.h for rows of one matrix.
#pragma once

#include <cstddef>
#include <memory>

#include "scalar/gpt.h"

namespace microgpt {

/// data -= learning_rate * grad for every parameter. Sets the gradients to zero.
void sgd_update(Parameters& parameters, double learning_rate);

/// Stochastic gradient descent. (Adam is in src/microgpt.cpp.)
class Sgd : public Optimizer {
 public:
  void update(Parameters& parameters, double learning_rate, std::size_t) override {
    sgd_update(parameters, learning_rate);
  }
};

/// The optimizer that train.optimizer names, for n parameters.
std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& train, std::size_t n);

}  // namespace microgpt
