// Exercise 11: the way back through LayerNorm, the norm of GPT-2. It first takes the mean out of a row, then scales it
// as rmsnorm does, and then each column gets a gain and a bias of its own, which are learnt:
//
//   y[n][c] = gain[c] * z[n][c] + bias[c],   z[n] = rmsnorm(x[n] - mean of x[n])
//
//   make exercise-11    fails until the function is right, and hints at what is missing
//   make solution-11    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "backward.h"
#include "base/python_random.h"
#include "lesson/nudge.h"
#include "train/gradient.h"

using namespace microgpt;

/// x without the mean of each row.
Array centred(Array x) {
  for (std::size_t n = 0; n < x.rows; n++) {
    const double mean = std::accumulate(x[n], x[n] + x.cols, 0.0) / static_cast<double>(x.cols);
    for (std::size_t c = 0; c < x.cols; c++) x[n][c] -= mean;
  }
  return x;
}

/// Every row scaled to a mean square of 1.
Array rmsnorm(Array x) {
  for (std::size_t n = 0; n < x.rows; n++) {
    const double squares = std::inner_product(x[n], x[n] + x.cols, x[n], 0.0);
    for (std::size_t c = 0; c < x.cols; c++) x[n][c] /= std::sqrt(squares / static_cast<double>(x.cols) + 1e-5);
  }
  return x;
}

Array layernorm(const Parameter& gain, const Parameter& bias, const Array& x) {
  Array y = rmsnorm(centred(x));
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t c = 0; c < y.cols; c++) y[n][c] = gain.data[c] * y[n][c] + bias.data[c];
  }
  return y;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Adds to the gradients of gain and bias, (1,C) each, and returns dx (N,C).
Array layernorm_backward(const Parameter& gain, const Parameter& bias, const Array& x, const Array& dy) {
  // TODO: go back through the three steps, the last one first. A gain and a bias are used by every row; and each x[c]
  // is in the mean of its row, which is taken out of every number of the row. rmsnorm_backward() is in backward.h.
  (void)gain, (void)bias;
  return rmsnorm_backward(x, dy);
}
#endif

namespace {

struct Fixture {
  static constexpr std::size_t N = 3, C = 4;

  Fixture() {
    for (double& number : parameters.data()) number = random.gauss(1, 0.5);
    for (double& number : x.data) number = random.gauss(2, 1);
    for (double& number : dy.data) number = random.gauss(0, 1);
  }

  double loss() const {
    const Array y = layernorm(gain, bias, x);
    return std::inner_product(y.data.begin(), y.data.end(), dy.data.begin(), 0.0);
  }
  Array backward() const { return layernorm_backward(gain, bias, x, dy); }
  std::vector<double> tried(std::span<double> numbers) const {
    return nudged(numbers, [this] { return loss(); });
  }

  PythonRandom random{1};
  Parameters parameters{{{"gain", 1, C}, {"bias", 1, C}}};
  const Parameter &gain = parameters["gain"], &bias = parameters["bias"];
  Array x{N, C}, dy{N, C};
};

}  // namespace

TEST_CASE("the gradient of the bias") {
  Fixture f;
  f.backward();
  INFO("hint: a bias is added to its column in every row, so the slopes of the whole column add up");
  CHECK(largest_difference(f.bias.grad_row(0), f.tried(f.bias.row(0))) < 1e-7);
}

TEST_CASE("the gradient of the gain") {
  Fixture f;
  f.backward();
  INFO("hint: a gain is multiplied by z[n][c]. You have to compute z again: rmsnorm(centred(x))");
  CHECK(largest_difference(f.gain.grad_row(0), f.tried(f.gain.row(0))) < 1e-7);
}

TEST_CASE("gradients are added to what is there") {
  Fixture f;
  f.backward();
  const std::vector<double> once(f.parameters.grad().begin(), f.parameters.grad().end());
  f.backward();
  INFO("hint: += , since another row, another name, or another layer may have been there before");
  REQUIRE(std::any_of(once.begin(), once.end(), [](double slope) { return slope != 0; }));
  for (std::size_t i = 0; i < once.size(); i++) CHECK(f.parameters.grad()[i] == doctest::Approx(2 * once[i]));
}

TEST_CASE("the gradient of x") {
  Fixture f;
  INFO(
      "hint: dz = gain * dy; then rmsnorm_backward at centred(x); then the mean: x[c] acts on number i of its row with"
      " -1/C, for every i, and with 1 more on its own");
  CHECK(largest_difference(f.backward().data, f.tried(f.x.data)) < 1e-7);
}

TEST_CASE("LayerNorm does not look everywhere") {
  Fixture f;
  const Array dx = f.backward(), z = rmsnorm(centred(f.x));
  fmt::print("slope of the loss, if the numbers of a row: all grow alike, are stretched, or only the first grows\n");
  for (std::size_t n = 0; n < dx.rows; n++) {
    const double alike = std::accumulate(dx[n], dx[n] + dx.cols, 0.0);
    const double stretched = std::inner_product(dx[n], dx[n] + dx.cols, z[n], 0.0);
    fmt::print("row {}:{}\n", n, listed(std::vector{alike, stretched, dx[n][0]}));
    INFO("hint: to raise a whole row alike, or to stretch it about its mean, changes (nearly) nothing that comes out");
    CHECK(std::abs(alike) < 1e-12);
    CHECK(std::abs(stretched) < 1e-3);
  }
}
