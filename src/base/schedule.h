// How the learning rate falls while a model is trained.
#pragma once

#include <cstddef>

#include "base/config.h"

namespace microgpt {

/// The learning rate when a training is at `at` of `end`: it falls from train.learning_rate to 0 on train.schedule.
double learning_rate_at(const TrainConfig& train, double at, double end);

/// The learning rate of a step, counted from 0.
double learning_rate(const TrainConfig& train, std::size_t step);

}  // namespace microgpt
