// Exercise 09: two backwards. LayerNorm, which GPT-2 has in place of RMSNorm, first takes the mean out of x: so each
// x[c] acts in three ways. And the gradient of a weight, of some of its rows only: so that several workers can share
// one matrix, each with rows of its own.
//
//   make exercise-10    fails until both functions are right, and hints at what is missing
//   make solution-10    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <numeric>

#include "compare.h"

using namespace lesson09;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// dx, where y[c] = (x[c] - m) * scale, m is the mean of x, and scale = (mean of (x - m)^2 + 1e-5)^-0.5. All (N,C).
Array layernorm_backward(const Array& dy, const Array& x) {
  // TODO: this is right once the mean is out of x. Who else hears when x[c] changes: through m, every (x - m)[i].
  Array centred = x;
  for (std::size_t n = 0; n < x.rows; n++) {
    double mean = 0;
    for (std::size_t c = 0; c < x.cols; c++) mean += x.row(n)[c] / static_cast<double>(x.cols);
    for (std::size_t c = 0; c < x.cols; c++) centred.row(n)[c] -= mean;
  }
  return rmsnorm_backward(dy, centred);
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

TEST_CASE("the gradient of a LayerNorm is the scalar path's") {
  Fixture f;
  const Array dy = random_array(N, n_in, f.random);
  auto layernorm = [](Values x) {
    const Value m = mean(x);
    return rmsnorm(Values(x.size(), [&](std::size_t i) { return x[i] - m; }));
  };
  const Answer expected = scalar_layer(layernorm, f.x, dy);
  INFO(
      "hint: x - m is a layer of its own, with a backward of its own: x[c] acts on (x - m)[c] with 1, and on every "
      "(x - m)[i] with -1/C");
  CHECK(largest_difference(layernorm_backward(dy, f.x).data, expected[1].data) < tolerance);
}

TEST_CASE("raising a whole row changes nothing: its gradient sums to 0") {
  Fixture f;
  const Array dx = layernorm_backward(random_array(N, n_in, f.random), f.x);
  for (std::size_t n = 0; n < N; n++) {
    INFO("row " << n << "; hint: the mean of the row's gradient is what is missing");
    REQUIRE(std::abs(std::accumulate(dx.row(n), dx.row(n) + n_in, 0.0)) < tolerance);
  }
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
  CHECK(std::any_of(once.data.begin(), once.data.end(), [](double number) { return number != 0; }));
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
