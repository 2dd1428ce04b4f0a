// The optimizers of the tensor path: those of optimizer.h, written once more for rows of one matrix, which threads
// share.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/config.h"
#include "tensor/kernels.h"
#include "tensor/weight.h"

namespace microgpt {

/// T is float or double.
template <class T>
struct BatchOptimizer {
  BatchOptimizer(const TrainConfig& how, std::span<Weight<T>* const> weights) : train(how) {
    if (train.optimizer == OptimizerName::sgd) return;
    for (const Weight<T>* weight : weights) {
      const View<const T> data = weight->data.view();
      m.emplace_back(data.rows, data.cols);
      v.emplace_back(data.rows, data.cols);
    }
  }

  /// Starts a step; call it before the step's updates. Steps count from 0.
  void begin(double learning_rate, std::size_t steps_done) {
    const auto steps = static_cast<double>(steps_done + 1);
    step = {.learning_rate = learning_rate,
            .beta1 = train.beta1,
            .beta2 = train.beta2,
            .eps = train.eps_adam,
            .m_correction = 1 - std::pow(train.beta1, steps),
            .v_correction = 1 - std::pow(train.beta2, steps),
            .keep = 1 - learning_rate * train.weight_decay};
  }

  /// Moves some rows of weight i against their gradients.
  void update(std::size_t i, Weight<T>& weight, Share rows, const Kernels<T>& kernels) {
    T* const data = weight.data.view().row(rows.first);
    const T* const grad = weight.grad.view().row(rows.first);
    const std::size_t n = rows.n * weight.data.view().stride;
    if (train.optimizer == OptimizerName::adam) {
      kernels.adam_update(data, grad, m[i].view().row(rows.first), v[i].view().row(rows.first), n, step);
    } else {
      const T rate = static_cast<T>(step.learning_rate), keep = static_cast<T>(step.keep);
      for (std::size_t j = 0; j < n; j++) data[j] = keep * data[j] - rate * grad[j];
    }
  }

  TrainConfig train;
  AdamStep step = {};           // of SGD only learning_rate and keep
  std::vector<Tensor<T>> m, v;  // Adam: for each weight, the running mean of its gradient, and of its square
};

}  // namespace microgpt
