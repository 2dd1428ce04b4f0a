#include "train/adam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "base/libm.h"

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

Adam::Adam(const TrainConfig& train, const Parameters& parameters)
    : train_(train), m_(parameters.size()), v_(parameters.size()) {}

// For each parameter, as the reference writes it:
//   m = beta1 * m + (1 - beta1) * grad
//   v = beta2 * v + (1 - beta2) * grad ** 2
//   data -= lr * (m / (1 - beta1 ** (step + 1))) / ((v / (1 - beta2 ** (step + 1))) ** 0.5 + eps)
// in blocks that stay in the fastest cache, so that each line runs on vector instructions.
void Adam::update(Parameters& parameters, std::size_t step) {
  const double lr = learning_rate(train_, step);
  const double beta1 = train_.beta1;
  const double beta2 = train_.beta2;
  const double eps = train_.eps_adam;
  const double m_correction = 1 - libm_pow(beta1, static_cast<double>(step + 1));
  const double v_correction = 1 - libm_pow(beta2, static_cast<double>(step + 1));

  constexpr std::size_t block = 512;
  std::array<double, block> squares;
  std::array<double, block> v_hat;
  std::array<double, block> roots;
  for (std::size_t start = 0; start < parameters.size(); start += block) {
    const std::size_t n = std::min(block, parameters.size() - start);
    double* const data = parameters.data().data() + start;
    double* const grad = parameters.grad().data() + start;
    double* const m = m_.data() + start;
    double* const v = v_.data() + start;
    libm_squares({grad, n}, squares);
    for (std::size_t i = 0; i < n; i++) {
      m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
      v[i] = beta2 * v[i] + (1 - beta2) * squares[i];
      v_hat[i] = v[i] / v_correction;
      grad[i] = 0;
    }
    libm_roots({v_hat.data(), n}, roots);
    for (std::size_t i = 0; i < n; i++) {
      const double m_hat = m[i] / m_correction;
      data[i] -= lr * m_hat / (roots[i] + eps);
    }
  }
}

}  // namespace microgpt
