#include "base/schedule.h"

#include <cmath>
#include <numbers>

namespace microgpt {

double learning_rate_at(const TrainConfig& train, double at, double end) {
  switch (train.schedule) {
    case Schedule::linear: return train.learning_rate * (1 - at / end);
    case Schedule::cosine: return train.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * at / end));
  }
  return train.learning_rate;
}

double learning_rate(const TrainConfig& train, std::size_t step) {
  return learning_rate_at(train, static_cast<double>(step), static_cast<double>(train.num_steps));
}

}  // namespace microgpt
