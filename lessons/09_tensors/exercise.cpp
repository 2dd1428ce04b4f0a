// Exercise 09: two backwards. The activation of the earlier microgpt is relu(x)^2; you know its forward, and the chain
// rule gives the rest. And the gradient of a weight, of some of its rows only: so that several workers can share one
// matrix, each with rows of its own.
//
//   make exercise-09    fails until both functions are right, and hints at what is missing
//   make solution-09    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include "compare.h"

using namespace lesson09;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// dx, where y = relu(x)^2. All (N,C).
Array squared_relu_backward(const Array& dy, const Array& x) {
  // TODO: this is the backward of relu. How fast does its square change?
  return relu_backward(dy, x);
}

/// Rows first, first + 1, ... of dW = dy^T x, as many as dw has. dw is (rows,n_in), dy (N,n_out), x (N,n_in). What was
/// in dw before is lost.
void linear_backward_weight_rows([[maybe_unused]] Array& dw, [[maybe_unused]] std::size_t first,
                                 [[maybe_unused]] const Array& dy, [[maybe_unused]] const Array& x) {
  // TODO: row i of dW is a sum over the positions: column i of dy, each number times the whole row of x.
}
#endif

namespace {

constexpr std::size_t N = 5, n_in = 3, n_out = 7;

struct Fixture {
  PythonRandom random{1};
  Array x = random_array(N, n_in, random);
  Array dy = random_array(N, n_out, random);
};

/// The whole gradient, by the scalar path.
Array scalar_dw(const Array& x, const Array& dy) {
  Parameters parameters({{"w", n_out, n_in}});
  return scalar_linear(x, parameters["w"], dy)[2];
}

}  // namespace

TEST_CASE("the slope of relu(x)^2 is 2 x where x is positive, else 0") {
  Array x(1, 3), dy(1, 3);
  x.data = {3, 0.5, -2};
  dy.data = {1, 10, 100};
  INFO("hint: the square's local gradient is 2 relu(x); times dy");
  CHECK(squared_relu_backward(dy, x).data == std::vector<double>{6, 10, 0});
}

TEST_CASE("the squared relu's gradient is the scalar path's") {
  Fixture f;
  const Array dy = random_array(N, n_in, f.random);
  auto layer = [](Values row) {
    const Values positive = relu(row);
    return Values(positive.size(), [&](std::size_t i) { return pow(positive[i], 2.0); });
  };
  const Answer expected = scalar_layer(layer, f.x, dy);
  INFO("hint: see the case above");
  CHECK(largest_difference(squared_relu_backward(dy, f.x).data, expected[1].data) < tolerance);
}

TEST_CASE("some rows of a weight's gradient are those rows of the scalar path's") {
  Fixture f;
  const Array whole = scalar_dw(f.x, f.dy);
  for (std::size_t first : {0, 2, 6}) {
    Array dw(n_out - first, n_in);
    linear_backward_weight_rows(dw, first, f.dy, f.x);
    for (std::size_t i = 0; i < dw.rows; i++) {
      for (std::size_t j = 0; j < n_in; j++) {
        INFO("row " << i << " of dw, from row " << first << " on; hint: it is row " << first + i
                    << " of the whole, a sum over n of dy[n][" << first + i << "] * x[n][" << j << "]");
        REQUIRE(std::abs(dw.row(i)[j] - whole.row(first + i)[j]) < tolerance);
      }
    }
  }
}

TEST_CASE("what was in dw before is lost") {
  Fixture f;
  Array dw(2, n_in), again(2, n_in);
  linear_backward_weight_rows(dw, 1, f.dy, f.x);
  linear_backward_weight_rows(again, 1, f.dy, f.x);
  const Array once = again;
  linear_backward_weight_rows(again, 1, f.dy, f.x);
  INFO("hint: begin each sum at 0, and look at all positions");
  CHECK(again.data == once.data);
  CHECK(std::ranges::any_of(once.data, [](double number) { return number != 0; }));
}

TEST_CASE("however the rows are shared, every bit is the same") {
  Fixture f;
  Array whole(n_out, n_in);
  linear_backward_weight_rows(whole, 0, f.dy, f.x);
  for (std::size_t workers : {2, 3, 7}) {
    for (std::size_t i = 0; i < workers; i++) {
      const Share rows = share(n_out, i, workers);
      Array dw(rows.n, n_in);
      linear_backward_weight_rows(dw, rows.first, f.dy, f.x);
      INFO("rows " << rows.first << " to " << rows.first + rows.n - 1
                   << "; hint: no sum may depend on how many rows there are");
      REQUIRE(std::equal(dw.data.begin(), dw.data.end(), whole.row(rows.first)));
      REQUIRE(largest_difference(whole.data, scalar_dw(f.x, f.dy).data) < tolerance);
    }
  }
}
