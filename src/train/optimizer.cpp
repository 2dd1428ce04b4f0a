#include "train/optimizer.h"

namespace microgpt {

void sgd_update(Parameters& parameters, double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    parameters.data()[i] -= learning_rate * parameters.grad()[i];
    parameters.grad()[i] = 0;
  }
}

std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& train, std::size_t n) {
  if (train.optimizer == OptimizerName::sgd) return std::make_unique<Sgd>();
  return std::make_unique<AdamOptimizer>(train, n);
}

}  // namespace microgpt
