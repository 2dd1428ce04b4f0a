// Lesson 09: Adam, which gives every parameter steps of its own size, in three steps: a mean of the gradients, a mean
// of their squares, and a correction for the start. Then temperature, which makes a trained model bolder or more
// careful. With these two, this is microgpt, complete.
#include <cmath>

#include "base/power.h"
#include "lesson/lesson.h"
#include "microgpt.h"
#include "show.h"

using namespace microgpt;

constexpr double beta1 = 0.85;  // how much of its old mean m keeps
constexpr double beta2 = 0.99;  // the same for v
constexpr double eps = 1e-8;    // against a division by zero

/// First step: each parameter moves by a running mean of its gradients.
struct Momentum {
  std::vector<double> m;  // for each parameter, the mean of its gradients; zeros at first

  void operator()(const List& params, double learning_rate, std::size_t) {
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      m[i] = beta1 * m[i] + (1 - beta1) * p.grad;
      p.data -= learning_rate * m[i];
      p.grad = 0;
    }
  }
};

/// Second step: by its gradient, compared with the usual size of its gradients.
struct Rescaled {
  std::vector<double> v;  // for each parameter, the mean of its squared gradients

  void operator()(const List& params, double learning_rate, std::size_t) {
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      v[i] = beta2 * v[i] + (1 - beta2) * p.grad * p.grad;
      p.data -= learning_rate * p.grad / (std::sqrt(v[i]) + eps);
      p.grad = 0;
    }
  }
};

/// Both, and the third step: m and v begin at 0, so at first they are too small, and that is corrected.
struct DraftAdam {
  std::vector<double> m, v;
  double m_correction = 1, v_correction = 1;

  void operator()(const List& params, double learning_rate, std::size_t step) {
    m_correction = 1 - power(beta1, static_cast<double>(step + 1));
    v_correction = 1 - power(beta2, static_cast<double>(step + 1));
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      m[i] = beta1 * m[i] + (1 - beta1) * p.grad;
      v[i] = beta2 * v[i] + (1 - beta2) * power(p.grad, 2);
      const double m_hat = m[i] / m_correction;
      const double v_hat = v[i] / v_correction;
      p.data -= learning_rate * m_hat / (power(v_hat, 0.5) + eps);  // stop: move
      p.grad = 0;
    }
  }
};

/// How likely each token is to come next.
std::vector<double> probabilities(Values logits, double temperature) {
  const Values scaled(logits.size(), [&](std::size_t i) { return logits[i] / temperature; });
  const Values probs = softmax(scaled);
  return probs.data();  // stop: temperature
}

std::vector<Token> draft_sample(const Model& model, double temperature, PythonRandom& random) {
  const Scope scope;
  Cache keys(model.layers.size()), values(model.layers.size());
  auto next = [&](Token token_id, std::size_t pos_id) {
    const Values logits = gpt(model, token_id, pos_id, keys, values);
    return random.choice(probabilities(logits, temperature));  // stop: draw
  };
  return generate(next, model.wte.size() - 1, model.block_size);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_valley<Momentum, Rescaled, DraftAdam>(lesson);

  const PythonRandom random = lesson.random;  // each Run draws the same weights from it
  const std::size_t n = draw_gpt(lesson, lesson.random).params.size();
  lesson.line(fmt::format("num params: {}", n));
  const std::vector<double> zeros(n);
  const Run adam(lesson, random, DraftAdam{zeros, zeros}, 0.01);
  for (std::size_t i = 0; i < adam.losses.size(); i++) lesson.step(i + 1, 1000, adam.losses[i]);
  show_names(lesson, adam.model, draft_sample);
  check_weights(lesson, random, adam);
  show_comparison<Momentum, Rescaled>(lesson, random, adam);
  show_temperatures(lesson, adam.model, draft_sample, probabilities);
  return lesson.finish();
}
