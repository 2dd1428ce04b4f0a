#include "train/sgd.h"

#include <doctest/doctest.h>

#include <vector>

#include "first_difference.h"
#include "leaves.h"
#include "scalar/ops.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

TEST_CASE("a step goes against the gradient, which becomes zero") {
  Parameters parameters({{"w", 1, 2}});
  parameters.data()[0] = 10, parameters.data()[1] = 20;
  parameters.grad()[0] = 4, parameters.grad()[1] = -8;
  sgd_update(parameters, 0.25);
  CHECK(first_difference(parameters.data(), Numbers{9, 22}) == "");
  CHECK(first_difference(parameters.grad(), Numbers{0, 0}) == "");
}

TEST_CASE("the learning rate falls in a straight line to zero, and documents are taken in turn") {
  Parameters parameters({{"w", 1, 1}});
  const Matrix w(parameters["w"]);
  const std::vector<Document> documents{U"a", U"abc"};
  const Tokenizer tokenizer(documents);
  Numbers losses;
  Numbers steps;
  // The loss is the number of tokens times w, so each step takes off tokens * learning rate.
  Sgd sgd;
  train([&](std::span<const Token> tokens) { return w[0][0] * static_cast<double>(tokens.size()); }, parameters, sgd,
        documents, tokenizer, {.num_steps = 4, .learning_rate = 1.0},
        [&](std::size_t step, double loss) {
          steps.push_back(static_cast<double>(step));
          losses.push_back(loss);
        });
  CHECK(steps == Numbers{1, 2, 3, 4});
  // w: 0, -3, -3 - 0.75 * 5 = -6.75, -6.75 - 0.5 * 3 = -8.25, -8.25 - 0.25 * 5 = -9.5
  CHECK(losses == Numbers{3 * 0.0, 5 * -3.0, 3 * -6.75, 5 * -8.25});
  CHECK(parameters.data()[0] == -9.5);
}

}  // namespace
}  // namespace microgpt
