#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "fenced.h"
#include "random_numbers.h"
#include "tensor/rope.h"
#include "tensor/tensor.h"

namespace microgpt {
namespace {

constexpr std::size_t d = 6;
constexpr double base = 10000;

Tensor<double> rotated(const Tensor<double>& x, const std::vector<std::size_t>& positions) {
  Tensor<double> y(x.view().rows, d);
  rope_forward(y.view(), x.view(), positions, base);
  return y;
}

double dot(const double* a, const double* b) { return std::inner_product(a, a + d, b, 0.0); }

/// Numbers are below 1 and go through a handful of roundings of 1.1e-16 each; an angle at position 1000 is off by
/// 1000 * 1.1e-16 or so.
constexpr double tolerance = 1e-12;

TEST_CASE("RoPE rotates the pair i at position p by p * base^(-2i/d), counter-clockwise") {
  Tensor<double> x(2, d);
  for (const std::size_t n : {0, 1}) {
    for (std::size_t i = 0; i < d; i += 2) x.view().row(n)[i] = 1;  // arrows to the right
  }
  const Tensor<double> y = rotated(x, {0, 7});
  for (std::size_t i = 0; i < d / 2; i++) {
    const double angle = 7 * std::pow(base, -2.0 * static_cast<double>(i) / d);
    CHECK(y.view().row(0)[2 * i] == 1);
    CHECK(y.view().row(0)[2 * i + 1] == 0);
    CHECK(std::abs(y.view().row(1)[2 * i] - std::cos(angle)) < tolerance);
    CHECK(std::abs(y.view().row(1)[2 * i + 1] - std::sin(angle)) < tolerance);
  }
}

TEST_CASE("with RoPE a score depends on the distance of query and key alone") {
  PythonRandom random(1);
  const Tensor<double> q = random_tensor<double>(1, d, random);
  const Tensor<double> k = random_tensor<double>(1, d, random);
  auto score = [&](std::size_t t, std::size_t s) {
    return dot(rotated(q, {t}).view().data, rotated(k, {s}).view().data);
  };
  CHECK(std::abs(score(5, 2) - score(1003, 1000)) < tolerance);
  CHECK(std::abs(score(5, 2) - score(5, 3)) > 1e-3);
}

TEST_CASE("the backward of RoPE is its transpose: dy . rope(x) = rope_backward(dy) . x") {
  PythonRandom random(2);
  const std::vector<std::size_t> positions{0, 3, 1, 40};
  const Tensor<double> x = random_tensor<double>(4, d, random);
  Tensor<double> dy = random_tensor<double>(4, d, random);
  const Tensor<double> y = rotated(x, positions);
  Tensor<double> dx(4, d);
  rope_backward(dx.view(), dy.view(), positions, base);
  for (std::size_t n = 0; n < 4; n++) {
    CHECK(std::abs(dot(dy.view().row(n), y.view().row(n)) - dot(dx.view().row(n), x.view().row(n))) < tolerance);
  }

  rope_backward(dy.view(), dy.view(), positions, base);  // in place
  CHECK(largest_difference(dy.view(), dx.view()) == 0);
}

}  // namespace
}  // namespace microgpt
