// Exercise 02: two backward passes by hand, checked by trying. With them a network learns to draw a curve.
//
//   make exercise-02     fails until the two functions are written
//   make solution-02     runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "lesson/nudge.h"

using namespace microgpt;

using Numbers = std::vector<double>;

/// Each number where it is positive, else 0.
Numbers relu(Numbers x) {
  for (double& x_i : x) x_i = std::max(0.0, x_i);
  return x;
}

#ifdef SOLUTION
#include "solution.cpp"
#else

/// Back through y = relu(x)^2, which one of the two published microgpts has in place of relu(x). Returns dx, given dy,
/// how fast the loss changes with each y.
Numbers squared_relu_backward([[maybe_unused]] const Numbers& x, const Numbers& dy) {
  Numbers dx(dy.size());
  // TODO
  return dx;
}

/// Back through y = w x + b, as far as b goes. b is the same at every position of a document, and dy has a row for
/// each of them: dy[position][i]. Returns db.
Numbers bias_backward(const std::vector<Numbers>& dy) {
  Numbers db(dy.at(0).size());
  // TODO: if b[i] moves by 1, which y move, and by how much?
  return db;
}

#endif

TEST_CASE("relu squared: twice the number where it is positive, nothing elsewhere") {
  const Numbers dx = squared_relu_backward({-3, 0, 0.5, 2}, {1, 1, 1, 1});
  REQUIRE(dx.size() == 4);
  INFO("hint: relu(x)^2 is x^2 to the right of 0, and 0 to the left");
  CHECK(dx[0] == 0);
  CHECK(dx[1] == 0);
  CHECK(dx[2] == 1);
  CHECK(dx[3] == 4);
}

TEST_CASE("relu squared passes on what comes from behind, as trying says") {
  Numbers x{-3, 0.5, 2};
  const Numbers dy{5, -1, 0.25};  // loss = 5 y[0] - y[1] + 0.25 y[2]
  auto loss = [&] {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); i++) total += dy[i] * relu({x[i]})[0] * relu({x[i]})[0];
    return total;
  };
  const Numbers dx = squared_relu_backward(x, dy);
  const Numbers tried = nudged(x, loss);
  REQUIRE(dx.size() == 3);
  INFO("hint: dx[i] = dy[i] * (the slope at x[i])");
  CHECK(dx[1] == -1);
  for (std::size_t i = 0; i < dx.size(); i++) CHECK(std::abs(dx[i] - tried[i]) < 1e-8);
}

TEST_CASE("a bias gathers the gradients of all positions") {
  const Numbers db = bias_backward({{1, 10}, {2, 20}, {4, 40}});
  REQUIRE(db.size() == 2);
  INFO("hint: y[i] = ... + b[i] at each position, so db[i] is the sum of dy[position][i]");
  CHECK(db[0] == 7);
  CHECK(db[1] == 70);
}

namespace {

/// A curve: x goes through a hidden layer of 16 numbers, squared_relu(w1 x + b1), and the sum of these times w2 is y.
struct Curve {
  explicit Curve(bool has_bias) : b1(w1.size()), learns_bias(has_bias) {
    PythonRandom random(2);
    for (std::size_t j = 0; j < w1.size(); j++) {
      w1[j] = random.gauss(0, 1);
      w2[j] = random.gauss(0, 0.3);
    }
  }

  Numbers hidden(double x) const {
    Numbers h_pre;
    for (std::size_t j = 0; j < w1.size(); j++) h_pre.push_back(w1[j] * x + b1[j]);
    return h_pre;
  }

  double operator()(double x) const {
    double y = 0;
    const Numbers h_pre = hidden(x);
    for (std::size_t j = 0; j < w2.size(); j++) y += w2[j] * relu(h_pre)[j] * relu(h_pre)[j];
    return y;
  }

  /// One step downhill on the mean of (y - target)^2.
  void step(const Numbers& xs, const std::function<double(double)>& target, double learning_rate) {
    Numbers dw1(w1.size()), dw2(w2.size());
    std::vector<Numbers> dh_pre_at;
    for (double x : xs) {
      const double dy = 2 * ((*this)(x)-target(x)) / static_cast<double>(xs.size());
      const Numbers h_pre = hidden(x);
      Numbers dh;
      for (std::size_t j = 0; j < w2.size(); j++) {
        dw2[j] += dy * relu(h_pre)[j] * relu(h_pre)[j];
        dh.push_back(dy * w2[j]);
      }
      dh_pre_at.push_back(squared_relu_backward(h_pre, dh));
      for (std::size_t j = 0; j < w1.size(); j++) dw1[j] += dh_pre_at.back()[j] * x;
    }
    const Numbers db1 = bias_backward(dh_pre_at);
    for (std::size_t j = 0; j < w1.size(); j++) {
      w1[j] -= learning_rate * dw1[j];
      w2[j] -= learning_rate * dw2[j];
      if (learns_bias) b1[j] -= learning_rate * db1[j];
    }
  }

  Numbers w1 = Numbers(16), b1, w2 = Numbers(16);
  bool learns_bias;
};

double wave(double x) { return std::cos(3 * x); }

}  // namespace

TEST_CASE("with a bias the network learns to draw a wave; without one every curve goes through 0") {
  Numbers xs;
  for (int i = -24; i <= 24; i++) xs.push_back(i / 16.0);
  Curve plain(false), with_bias(true);
  for (int step = 0; step < 10000; step++) {
    plain.step(xs, wave, 0.05);
    with_bias.step(xs, wave, 0.05);
  }
  auto error = [&](const Curve& curve) {
    double total = 0;
    for (double x : xs) total += (curve(x) - wave(x)) * (curve(x) - wave(x));
    return total / static_cast<double>(xs.size());
  };
  auto row_of = [](double y) { return std::lround(4 - 4 * (std::isfinite(y) ? std::clamp(y, -1.25, 1.0) : -1.25)); };
  std::vector<std::string> drawing(10, std::string(xs.size(), ' '));
  for (std::size_t i = 0; i < xs.size(); i++) {
    drawing[row_of(plain(xs[i]))][i] = '-';
    drawing[row_of(wave(xs[i]))][i] = '.';
    drawing[row_of(with_bias(xs[i]))][i] = 'o';
  }
  for (const std::string& row : drawing) fmt::print("{}\n", row.substr(0, row.find_last_not_of(' ') + 1));
  fmt::print(". wave, - learnt without a bias, o with one; mean squared error {:.2f} and {:.2f}\n", error(plain),
             error(with_bias));
  INFO("hint: if the other cases pass, so should this one");
  CHECK(error(with_bias) < 0.1);
  CHECK(error(plain) > 0.2);
}
