#include "tensor/rope.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "tensor/tensor.h"

namespace microgpt {
namespace {

// That the backward is the transpose: attention_oracle_test.cpp.
TEST_CASE("RoPE rotates the pair i at position p by p * base^(-2i/d), counter-clockwise") {
  constexpr std::size_t d = 6;
  constexpr double base = 10000, tolerance = 1e-12;  // numbers up to 7, and a handful of roundings of 1.1e-16 each
  Tensor<double> x(2, d);
  for (const std::size_t n : {0, 1}) {
    for (std::size_t i = 0; i < d; i += 2) x.view().row(n)[i] = 1;  // arrows to the right
  }
  rope_forward(x.view(), x.view(), std::array<std::size_t, 2>{0, 7}, base);
  for (std::size_t i = 0; i < d / 2; i++) {
    const double angle = 7 * std::pow(base, -2.0 * static_cast<double>(i) / d);
    CHECK(x.view().row(0)[2 * i] == 1);
    CHECK(x.view().row(0)[2 * i + 1] == 0);
    CHECK(std::abs(x.view().row(1)[2 * i] - std::cos(angle)) < tolerance);
    CHECK(std::abs(x.view().row(1)[2 * i + 1] - std::sin(angle)) < tolerance);
  }
}

}  // namespace
}  // namespace microgpt
