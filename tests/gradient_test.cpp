#include "train/gradient.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/python_random.h"
#include "lesson/mlp.h"
#include "microgpt.h"

using namespace microgpt;

namespace {

using Numbers = std::vector<double>;

struct Fixture {
  static Mlp draw() {
    Parameters parameters(mlp_shapes(3, 2));
    PythonRandom random(1);
    draw_weights(parameters, 0.5, random);
    return Mlp(parameters);
  }

  const Scope scope{};
  const Mlp model = draw();
  std::vector<Token> tokens{2, 0, 1, 2};
  Loss right = [this](std::span<const Token> of) { return document_loss(model, of); };
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "the gradient is what backward() adds, without old ones, and is taken out of the parameters") {
  for (const Value p : model.params) p.node->grad = 7;
  const LossAndGradient found = loss_and_gradient(right, model.params, tokens);
  for (const Value p : model.params) CHECK(p.grad() == 0);
  const Value loss = right(tokens);
  loss.backward();
  CHECK(found.loss == loss.data());
  for (std::size_t i = 0; i < model.params.size(); i++) CHECK(found.gradient[i] == model.params[i].grad());
}

TEST_CASE_FIXTURE(Fixture, "an MLP's loss is the mean over pairs of tokens, whatever came before them") {
  auto loss = [&](const std::vector<Token>& of) { return right(of).data(); };
  CHECK(loss({2, 1, 0, 2}) == (1.0 / 3) * (loss({2, 1}) + loss({1, 0}) + loss({0, 2})));
}

TEST_CASE("detached values keep their numbers and pass no gradient on") {
  const Scope scope{};
  const Values x{1.0, 2.0};
  const Values copy = detach(x);
  CHECK(copy[1].data() == 2);
  sum(copy).backward();
  CHECK(copy[1].grad() == 1);
  CHECK(x[1].grad() == 0);
}

TEST_CASE("the largest difference counts both directions; of different sizes and NaN, it is below no tolerance") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(largest_difference(Numbers{1, 5, -3}, Numbers{1, 4, -1}) == 2);
  CHECK(largest_difference(Numbers{}, Numbers{}) == 0);
  CHECK_FALSE(largest_difference(Numbers{1, 2}, Numbers{1}) < 1e300);
  CHECK_FALSE(largest_difference(Numbers{nan, 2}, Numbers{1, 2}) < 1e300);
  CHECK_FALSE(largest_difference(Numbers{1, nan, 3}, Numbers{1, 2, 3}) < 1e300);
}
