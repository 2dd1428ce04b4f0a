// How the learning rate falls during training.
#pragma once

#include <cstddef>

#include "base/config.h"

namespace microgpt {

/// The learning rate at `at` of `end`, which falls from train.learning_rate to 0 as train.schedule says.
double learning_rate_at(const TrainConfig& train, double at, double end);

/// The learning rate of a step, counted from 0.
double learning_rate(const TrainConfig& train, std::size_t step);

}  // namespace microgpt
