// The optimizers of the tensor path: those of optimizer.h, written once more for rows of one matrix, which threads
// share.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/config.h"
#include "tensor/kernels.h"
#include "tensor/weight.h"

namespace microgpt {

/// An optimizer of the tensor path. Threads share the rows of every matrix. T is float or double.
template <class T>
class BatchOptimizer {
 public:
  virtual ~BatchOptimizer() = default;

  /// Starts a step; call it before the step's updates. Steps count from 0.
  virtual void begin(double learning_rate, std::size_t step) = 0;

  /// Moves some rows of weight i against their gradients.
  virtual void update(std::size_t i, Weight<T>& weight, Share rows) = 0;

  /// What it remembers from step to step: lists of tensors, each list with one of the shape of every weight.
  virtual std::vector<std::span<Tensor<T>>> moments() { return {}; }
};

/// The optimizer that train.optimizer names, for the weights of a model.
template <class T>
std::unique_ptr<BatchOptimizer<T>> make_optimizer(const TrainConfig& train, std::span<Weight<T>* const> weights,
                                                  const Kernels<T>& kernels);

}  // namespace microgpt
