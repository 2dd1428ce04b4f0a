// The learning rate, how far a step of training moves the parameters: it falls to 0 during training.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/config.h"

namespace microgpt {

/// The learning rate at `at` of `end`, in steps or in any one unit: from train.learning_rate to 0.
inline double learning_rate_at(const TrainConfig& train, double at, double end) {
  switch (train.schedule) {
    case Schedule::linear: return train.learning_rate * (1 - at / end);
    case Schedule::cosine: return train.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * at / end));
  }
  return train.learning_rate;
}

/// The learning rate of a step, counted from 0.
inline double learning_rate(const TrainConfig& train, std::size_t step) {
  return learning_rate_at(train, static_cast<double>(step), static_cast<double>(train.num_steps));
}

}  // namespace microgpt
