#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "first_difference.h"
#include "leaves.h"
#include "scalar/ops.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

/// A (2, 3) matrix of 1, 2, 3, 4, 5, 6.
struct MatrixFixture {
  MatrixFixture() { std::iota(parameters.data().begin(), parameters.data().end(), 1.0); }
  Parameters parameters{{{"w", 2, 3}}};
  Matrix w = matrix(parameters["w"]);
};

TEST_CASE_FIXTURE(MatrixFixture, "a row holds the parameters") {
  const Scope scope;
  CHECK(data_of(w[1]) == Numbers{4, 5, 6});
}

TEST_CASE_FIXTURE(MatrixFixture, "the gradient of a row lands in the parameters, all its uses together") {
  const Scope scope;
  (w[1][0] * 10.0 + dot(w[1], w[1])).backward();
  CHECK(first_difference(parameters.grad(), Numbers{0, 0, 0, 18, 10, 12}) == "");
}

TEST_CASE_FIXTURE(MatrixFixture, "a matrix that several positions use gathers the gradients of all") {
  const Scope scope;
  const Values first = leaves(Numbers{1, 0, 0});
  const Values second = leaves(Numbers{0, 10, 100});
  (sum(linear(first, w)) + sum(linear(second, w)) + w[0][2]).backward();  // by linear and by row
  CHECK(first_difference(parameters.grad(), Numbers{1, 10, 101, 1, 10, 100}) == "");
}

TEST_CASE_FIXTURE(MatrixFixture, "a second backward adds to the parameters' gradients") {
  const Scope scope;
  const Value loss = sum(w[0]) + sum(linear(leaves(Numbers{1, 2, 3}), w));
  loss.backward();
  loss.backward();
  CHECK(first_difference(parameters.grad(), Numbers{4, 6, 8, 2, 4, 6}) == "");
}

TEST_CASE_FIXTURE(MatrixFixture, "gradients of one Scope after the other add up") {
  for (int step = 0; step < 3; step++) {
    const Scope scope;
    sum(w[0]).backward();
  }
  CHECK(first_difference(parameters.grad(), Numbers{3, 3, 3, 0, 0, 0}) == "");
}

TEST_CASE_FIXTURE(MatrixFixture, "a row has the new numbers once the parameters have changed, in the same Scope too") {
  const Scope scope;
  const Values before = w[0];
  parameters.data()[1] = 20;
  CHECK(data_of(w[0]) == Numbers{1, 20, 3});
  CHECK(data_of(before) == Numbers{1, 2, 3});
  (sum(w[0]) + sum(before)).backward();
  CHECK(first_difference(parameters.grad(), Numbers{2, 2, 2, 0, 0, 0}) == "");
}

}  // namespace
}  // namespace microgpt
