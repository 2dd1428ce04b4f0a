// Adam (Kingma and Ba, 2015): each parameter moves along the running mean of its gradients, divided by the root of the
// running mean of their squares, so that all of them move at a similar pace.
#pragma once

#include <cstddef>
#include <vector>

#include "base/config.h"
#include "base/parameters.h"

namespace microgpt {

/// The schedule's way from train.learning_rate down to 0, when so much of it is done: `at`, which goes from 0 to `end`.
double learning_rate_at(const TrainConfig& train, double at, double end);

/// The learning rate of a step, counted from 0.
double learning_rate(const TrainConfig& train, std::size_t step);

class Adam {
 public:
  Adam(const TrainConfig& train, const Parameters& parameters);

  /// Moves every parameter against its gradient and sets the gradients to zero. Steps count from 0.
  void update(Parameters& parameters, std::size_t step);

 private:
  TrainConfig train_;
  std::vector<double> m_;  // running mean of each parameter's gradient
  std::vector<double> v_;  // running mean of its square
};

}  // namespace microgpt
