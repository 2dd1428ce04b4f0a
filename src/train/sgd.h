// Stochastic gradient descent: every parameter moves against its gradient, all at the same rate.
#pragma once

#include <cstddef>

#include "scalar/gpt.h"

namespace microgpt {

/// data -= learning_rate * grad for every parameter; the gradients become zero.
void sgd_update(Parameters& parameters, double learning_rate);

class Sgd : public Optimizer {
 public:
  void update(Parameters& parameters, double learning_rate, std::size_t) override {
    sgd_update(parameters, learning_rate);
  }
};

}  // namespace microgpt
