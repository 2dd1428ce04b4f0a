#include "train/gradient.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/python_random.h"
#include "lesson/mlp.h"
#include "scalar/ops.h"

using namespace microgpt;

namespace {

struct Fixture {
  Fixture() : parameters(mlp_shapes(3, 2)) {
    PythonRandom random(1);
    draw_weights(parameters, 0.5, random);
  }

  Parameters parameters;
  Mlp model{parameters};
  std::vector<Token> tokens{2, 0, 1, 2};
  Loss right = [this](std::span<const Token> of) { return document_loss(model, of); };
  /// The right loss, with no gradient behind it.
  Loss without_gradient = [this](std::span<const Token> of) { return Value(document_loss(model, of).data()); };
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "the gradient is what backward() adds to the parameters, and is taken out of them") {
  const LossAndGradient found = loss_and_gradient(right, parameters, tokens);
  for (double g : parameters.grad()) CHECK(g == 0);
  const Scope scope;
  const Value loss = right(tokens);
  loss.backward();
  CHECK(found.loss == loss.data());
  CHECK(found.gradient == std::vector<double>(parameters.grad().begin(), parameters.grad().end()));
}

TEST_CASE_FIXTURE(Fixture, "old gradients do not count") {
  const LossAndGradient found = loss_and_gradient(right, parameters, tokens);
  for (double& g : parameters.grad()) g = 7;
  CHECK(loss_and_gradient(right, parameters, tokens) == found);
}

TEST_CASE_FIXTURE(Fixture, "slopes agree with a right gradient and not with a missing one, and the weights stay") {
  const std::vector<double> before(parameters.data().begin(), parameters.data().end());
  for (const char* matrix : {"wte", "mlp_fc1", "mlp_fc2"}) {
    // Steps of h = 1e-5. Truncation: h^2/6 times a third derivative, which is below 10 here, makes 2e-10. Rounding: a
    // loss below 4 made by some 100 operations, each off by at most 2^-51, divided by h, makes 5e-9.
    CHECK(largest_slope_error(right, parameters, matrix, tokens) < 1e-8);
    CHECK(largest_slope_error(without_gradient, parameters, matrix, tokens) > 1e-3);
  }
  CHECK(std::vector<double>(parameters.data().begin(), parameters.data().end()) == before);
}

TEST_CASE("detached values keep their numbers and pass no gradient on") {
  const Scope scope;
  const Values x(2, [](std::size_t i) { return static_cast<double>(i) + 1; });
  const Values copy = detach(x);
  CHECK(copy[1].data() == 2);
  sum(copy).backward();
  CHECK(copy[1].grad() == 1);
  CHECK(x[1].grad() == 0);
}

TEST_CASE("the largest difference counts both directions") {
  CHECK(largest_difference(std::vector<double>{1, 5, -3}, std::vector<double>{1, 4, -1}) == 2);
  CHECK(largest_difference(std::vector<double>{}, std::vector<double>{}) == 0);
}

TEST_CASE("answers of different sizes, or without a number, are below no tolerance") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(largest_difference(std::vector<double>{1, 2}, std::vector<double>{1}) < 1e300);
  CHECK_FALSE(largest_difference(std::vector<double>{nan, 2}, std::vector<double>{1, 2}) < 1e300);
  CHECK_FALSE(largest_difference(std::vector<double>{1, nan, 3}, std::vector<double>{1, 2, 3}) < 1e300);
}
