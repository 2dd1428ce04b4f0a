#include "lesson/mlp.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "all_gradients.h"
#include "base/python_random.h"
#include "first_difference.h"
#include "leaves.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

/// V = 5, C = 3, with weights that are large enough for every part to matter.
struct MlpFixture {
  MlpFixture() {
    PythonRandom random(42);
    draw_weights(parameters, 0.5, random);
  }
  Parameters parameters{mlp_shapes(5, 3)};
  Mlp model{parameters};
};

TEST_CASE_FIXTURE(MlpFixture, "all gradients of an MLP are central differences") {
  // Fewer than 2^6 roundings of one unit in the last place below 4, 2^-51, on one way to the loss, with slopes of
  // about 1.
  constexpr double rounding = 0x1p-44;
  check_all_gradients(parameters, rounding, [&] { return document_loss(model, Tokens{4, 1, 3, 1, 0, 2, 4}); });
}

TEST_CASE_FIXTURE(MlpFixture, "an MLP's loss is the mean over pairs of tokens, whatever came before them") {
  const Scope scope;
  auto loss = [&](const Tokens& tokens) { return document_loss(model, tokens).data(); };
  const double mean = (1.0 / 3) * (loss({4, 1}) + loss({1, 3}) + loss({3, 4}));
  CHECK(loss({4, 1, 3, 4}) == mean);
  CHECK(first_difference(data_of(mlp(model, 1)), data_of(mlp(model, 1))) == "");
}

}  // namespace
}  // namespace microgpt
