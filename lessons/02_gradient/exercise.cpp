// Exercise 02: the gradient by trying, and two by hand that it can check.
//
//   make exercise-02     fails until the three functions are written
//   make solution-02     runs the same tests on solution.cpp
#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "forward.h"

using namespace microgpt;

/// Any function of some numbers, for instance a loss of all parameters.
using Function = std::function<double(const Numbers& x)>;

#ifdef SOLUTION
#include "solution.cpp"
#else

/// The gradient of f at x by central differences: (f(x + h) - f(x - h)) / 2h for each number of x in turn.
Numbers central_differences([[maybe_unused]] const Function& f, Numbers x, [[maybe_unused]] double h) {
  Numbers gradient(x.size());
  // TODO: for each i, move x[i] up, then down, and put it back.
  return gradient;
}

/// Back through y = relu(x)^2, which one of the two published microgpts has in place of relu(x). Returns dx, given dy,
/// how fast the loss changes with each y.
Numbers squared_relu_backward([[maybe_unused]] const Numbers& x, const Numbers& dy) {
  Numbers dx(dy.size());
  // TODO: the chain rule: the slope of x^2 times the gradient that came from behind. And where x is not positive?
  return dx;
}

/// Back through y = w x + b, as far as b goes. b is the same at every position of a document, and dy has a row for
/// each of them: dy[position][i]. Returns db.
Numbers bias_backward(const std::vector<Numbers>& dy) {
  Numbers db(dy.at(0).size());
  // TODO: if b[i] moves by 1, which y move, and by how much? Then b is used more than once: = or += ?
  return db;
}

#endif

TEST_CASE("a straight line has its slopes as gradient") {
  auto f = [](const Numbers& x) { return 3 * x[0] - 2 * x[1] + 7; };
  const Numbers gradient = central_differences(f, {1, 5}, 0.125);  // 1/8: no rounding at all
  REQUIRE(gradient.size() == 2);
  INFO("hint: up - down is 2 h apart, so divide by 2 h");
  CHECK(gradient[0] == 3);
  CHECK(gradient[1] == -2);
}

TEST_CASE("each number is nudged alone") {
  auto f = [](const Numbers& x) { return x[0] * x[1] * x[2]; };
  const Numbers gradient = central_differences(f, {2, 3, 5}, 0.125);
  REQUIRE(gradient.size() == 3);
  INFO("hint: put x[i] back before you go on with x[i + 1]");
  CHECK(gradient[0] == 15);
  CHECK(gradient[1] == 10);
  CHECK(gradient[2] == 6);
}

TEST_CASE("relu squared: twice the number where it is positive, nothing elsewhere") {
  const Numbers dx = squared_relu_backward({-3, 0, 0.5, 2}, {1, 1, 1, 1});
  REQUIRE(dx.size() == 4);
  INFO("hint: relu(x)^2 is x^2 to the right of 0, and 0 to the left");
  CHECK(dx[0] == 0);
  CHECK(dx[1] == 0);
  CHECK(dx[2] == 1);
  CHECK(dx[3] == 4);
}

TEST_CASE("relu squared passes on what comes from behind, as central differences say") {
  const Numbers x{-3, 0.5, 2};
  const Numbers dy{5, -1, 0.25};  // loss = 5 y[0] - y[1] + 0.25 y[2]
  auto loss = [&](const Numbers& at) {
    double total = 0;
    for (std::size_t i = 0; i < at.size(); i++) total += dy[i] * relu({at[i]})[0] * relu({at[i]})[0];
    return total;
  };
  const Numbers dx = squared_relu_backward(x, dy);
  const Numbers tried = central_differences(loss, x, 0.125);  // exact: a parabola, and no corner within 1/8
  REQUIRE(dx.size() == 3);
  INFO("hint: dx[i] = dy[i] * (the slope at x[i])");
  CHECK(dx[1] == -1);
  for (std::size_t i = 0; i < dx.size(); i++) CHECK(dx[i] == tried[i]);
}

TEST_CASE("a bias gathers the gradients of all positions") {
  const Numbers db = bias_backward({{1, 10}, {2, 20}, {4, 40}});
  REQUIRE(db.size() == 2);
  INFO("hint: y[i] = ... + b[i] at each position, so db[i] is the sum of dy[position][i]");
  CHECK(db[0] == 7);
  CHECK(db[1] == 70);
}
