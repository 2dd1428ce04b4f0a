// Exercise 08: half of Adam, and a second way to be careful. Momentum is Adam's running mean without its pace for each
// parameter. Top-k keeps the k likeliest tokens and never draws another one.
//
//   make exercise-09    fails until both functions are written, and hints at what is missing
//   make solution-09    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "base/parameters.h"
#include "train/optimizer.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// velocity = mu * velocity + gradient, and each parameter moves against its velocity by learning_rate times that; then
/// the gradients are zero.
void momentum_update(Parameters& parameters, [[maybe_unused]] std::vector<double>& velocity, double learning_rate,
                     [[maybe_unused]] double mu) {
  // TODO: this is SGD, which follows the gradient itself. Look at sgd_update() in src/train/optimizer.cpp.
  sgd_update(parameters, learning_rate);
}

/// The k largest probabilities, divided by their sum so that they sum to 1 again; the others become 0. No two are
/// equal.
std::vector<double> top_k(const std::vector<double>& probabilities, [[maybe_unused]] std::size_t k) {
  // TODO: how large is the k-th largest? std::sort or std::nth_element on a copy tells.
  return probabilities;
}
#endif

TEST_CASE("with a steady gradient momentum moves faster and faster") {
  Parameters parameters({{"weights", 1, 2}});
  std::vector<double> velocity(2);
  double moved = 0;
  for (double expected : {1.0, 1.0 + 0.5, 1.0 + 0.5 + 0.25}) {  // 1 + mu + mu^2 + ...
    parameters.grad()[0] = 1;
    parameters.grad()[1] = -2;
    momentum_update(parameters, velocity, 0.25, 0.5);
    moved += 0.25 * expected;
    INFO("hint: the velocity of before, times mu, and the gradient come together; it must still be there next time");
    REQUIRE(parameters.data()[0] == -moved);  // powers of two: no rounding
    REQUIRE(parameters.data()[1] == 2 * moved);
  }
}

TEST_CASE("momentum leaves no gradient behind") {
  Parameters parameters({{"weights", 1, 1}});
  std::vector<double> velocity(1);
  parameters.grad()[0] = 1;
  momentum_update(parameters, velocity, 0.1, 0.9);
  INFO("hint: the next backward() adds to what is in grad");
  CHECK(parameters.grad()[0] == 0);
}

TEST_CASE("momentum gets along a narrow valley where SGD crawls") {
  // The height is (x^2 + 50 y^2) / 2: steep across, nearly flat along. A learning rate above 2 / 50 would leave it.
  auto height_after = [](double mu, int steps) {
    Parameters at({{"xy", 1, 2}});
    at.data()[0] = 1;
    at.data()[1] = 1;
    std::vector<double> velocity(2);
    for (int i = 0; i < steps; i++) {
      at.grad()[0] = at.data()[0];
      at.grad()[1] = 50 * at.data()[1];
      momentum_update(at, velocity, 0.02, mu);
    }
    return (at.data()[0] * at.data()[0] + 50 * at.data()[1] * at.data()[1]) / 2;
  };
  const double sgd = height_after(0, 100);
  INFO("hint: with mu = 0 it should be SGD, which x leaves at 0.98^100 of where it was");
  CHECK(sgd == doctest::Approx(std::pow(0.98, 200) / 2));
  INFO("hint: with mu = 0.8 the steps along the valley add up");
  CHECK(height_after(0.8, 100) < sgd / 1000);
}

TEST_CASE("top-k keeps the k likeliest, in their proportions") {
  const std::vector<double> p = top_k({0.125, 0.5, 0.0625, 0.25, 0.05, 0.0125}, 2);
  INFO("hint: 0.5 and 0.25 stay, as 2/3 and 1/3; the others are never drawn");
  REQUIRE(p.size() == 6);
  CHECK(p[0] == 0);
  CHECK(p[1] == doctest::Approx(2.0 / 3));
  CHECK(p[2] == 0);
  CHECK(p[3] == doctest::Approx(1.0 / 3));
  CHECK(p[4] == 0);
  CHECK(p[5] == 0);
}

TEST_CASE("top-1 is certain, and top-k of all changes nothing") {
  const std::vector<double> p{0.25, 0.125, 0.625};
  INFO("hint: only the likeliest stays");
  CHECK(top_k(p, 1) == std::vector<double>{0, 0, 1});
  INFO("hint: k may be as large as the vocabulary, or larger");
  CHECK(top_k(p, 3) == p);
  CHECK(top_k(p, 10) == p);
}
