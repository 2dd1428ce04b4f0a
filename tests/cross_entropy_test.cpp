// Where the two paths part on purpose: the loss of a probability that is too small for a double.
#include <doctest/doctest.h>

#include <array>
#include <limits>

#include "scalar/ops.h"
#include "tensor/kernels.h"

namespace microgpt {
namespace {

TEST_CASE(
    "a probability that is too small has an infinite loss in the scalar path, and its logits' in the tensor path") {
  const Scope scope;
  const std::array<double, 2> logits{0, 800};
  const Values values(logits.size(), [&](std::size_t i) { return Value(logits[i]); });
  CHECK(cross_entropy(values, 0).data() == std::numeric_limits<double>::infinity());

  for (const Kernels<double>* kernels : {&naive<double>(), &fast<double>()}) {
    Tensor<double> row(1, 2), probs(1, 2);
    std::copy(logits.begin(), logits.end(), row.view().data);
    double loss = 0;
    const std::array<Token, 1> target{0};
    kernels->cross_entropy_forward(&loss, probs.view(), row.view(), target);
    CHECK(loss == 800);
    CHECK(probs.view().data[0] == 0);
  }
}

}  // namespace
}  // namespace microgpt
