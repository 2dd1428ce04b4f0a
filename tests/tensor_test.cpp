// Tensors, their products, and what happens to whole tensors: rotation and dropout.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "base/python_random.h"
#include "fenced.h"
#include "fused.h"
#include "tensor/drop.h"
#include "tensor/matmul.h"
#include "tensor/rope.h"
#include "tensor/tensor.h"
#include "tensor/weight.h"

namespace microgpt {
namespace {

// --- Tensor ----------------------------------------------------------------------------------------------------------

TEST_CASE("a new tensor is zero, between its rows, too; so is one that grew; one that shrinks stays where it is") {
  Tensor<float> x(3, 7);
  auto sum = [&] { return std::accumulate(x.view().data, x.view().row(x.view().rows), 0.0F); };
  CHECK(sum() == 0);
  x.view().row(0)[0] = 7;
  x.resize(50, 60);
  CHECK(x.view().rows == 50);
  CHECK(x.view().cols == 60);
  CHECK(sum() == 0);
  const float* const data = x.view().data;
  for (const std::size_t n : {3, 50}) {
    x.resize(n, n);
    CHECK(x.view().data == data);
    CHECK(x.view().cols == n);
  }
}

TEST_CASE("transpose_rows brings these rows of a weight up to date, and no others") {
  Weight<float> w(5, 3);
  for (std::size_t i = 0; i < 5; i++) std::iota(w.data.view().row(i), w.data.view().row(i) + 3, 10.0F * float(i) + 1);
  w.transpose_rows({1, 2});
  for (std::size_t i = 0; i < 5; i++) {
    for (std::size_t j = 0; j < 3; j++) {
      CHECK(w.transposed.view().row(j)[i] == (i == 1 || i == 2 ? w.data.view().row(i)[j] : 0));
    }
  }
}

// --- Matmul ----------------------------------------------------------------------------------------------------------

struct Shape {
  std::size_t M, N, K;
};

/// Shapes around the edges of vectors and tiles: each of these sizes several times in each place.
std::vector<Shape> shapes() {
  constexpr std::array<std::size_t, 13> sizes{1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 64, 65, 100};
  PythonRandom random(1);
  std::vector<Shape> all;
  for (const std::size_t size : sizes) {
    auto any = [&] { return sizes[random.below(sizes.size())]; };
    for (int i = 0; i < 4; i++)
      all.insert(all.end(), {{size, any(), any()}, {any(), size, any()}, {any(), any(), size}});
  }
  for (std::size_t M = 1; M <= 40; M++) all.push_back({M, 33, 5});  // every way to cut rows into tiles
  return all;
}

/// The factors, and what c holds before.
template <class T>
struct Factors {
  Factors(const Shape& s, PythonRandom& random)
      : a(fenced_input<T>(random, s.M, s.K)),
        a_t(fenced_input<T>(random, s.K, s.M)),
        b(fenced_input<T>(random, s.K, s.N)),
        before(fenced_sum<T>(random, s.M, s.N)) {
    for (std::size_t i = 0; i < s.M; i++) {
      for (std::size_t k = 0; k < s.K; k++) a_t.view().row(k)[i] = a.view().row(i)[k];
    }
  }

  Fenced<T> a, a_t, b, before;
};

/// Whether c = a b, or before + a b, to the last bit: each number is one chain of multiply-adds, from k = 0 up. So
/// threads may cut c by rows or by columns as they like, and no bit changes.
template <class T>
bool is_product(View<const T> c, const Factors<T>& f, bool add) {
  const View<const T> a = f.a.view();
  const View<const T> b = f.b.view();
  for (std::size_t i = 0; i < c.rows; i++) {
    for (std::size_t j = 0; j < c.cols; j++) {
      T total = add ? f.before.view().row(i)[j] : 0;
      for (std::size_t k = 0; k < b.rows; k++) total = fused(a.row(i)[k], b.row(k)[j], total);
      if (c.row(i)[j] != total) return false;
    }
  }
  return true;
}

TEST_CASE_TEMPLATE("matmul and matmul_add are chains of multiply-adds, within the view and nowhere else", T, float,
                   double) {
  PythonRandom random(2);
  for (const Shape& shape : shapes()) {
    const Factors<T> f(shape, random);
    INFO("M " << shape.M << ", N " << shape.N << ", K " << shape.K);
    for (const bool is_transposed : {false, true}) {
      const Left<T> a = is_transposed ? transposed(f.a_t.view()) : Left<T>(f.a.view());
      Fenced<T> c = fenced_output<T>(shape.M, shape.N);
      matmul(c.view(), a, f.b.view());
      CHECK(c.intact());
      CHECK(is_product<T>(c.view(), f, false));
      Fenced<T> sum = f.before;
      matmul_add(sum.view(), a, f.b.view());
      CHECK(sum.intact());
      CHECK(is_product<T>(sum.view(), f, true));
    }
  }
}

// --- Rope ------------------------------------------------------------------------------------------------------------

// That the backward is the transpose: attention_oracle_test.cpp.
TEST_CASE("RoPE rotates the pair i at position p by p * base^(-2i/d), counter-clockwise") {
  constexpr std::size_t d = 6;
  constexpr double rounding = 1e-12;  // numbers up to 7, and a handful of roundings of 1.1e-16 each
  for (const double base : {10000.0, 100.0}) {
    Tensor<double> x(2, d);
    for (const std::size_t n : {0, 1}) {
      for (std::size_t i = 0; i < d; i += 2) x.view().row(n)[i] = 1;  // arrows to the right
    }
    rope_forward(x.view(), x.view(), std::array<std::size_t, 2>{0, 7}, base);
    for (std::size_t i = 0; i < d / 2; i++) {
      const double angle = 7 * std::pow(base, -2.0 * static_cast<double>(i) / d);
      CHECK(x.view().row(0)[2 * i] == 1);
      CHECK(x.view().row(0)[2 * i + 1] == 0);
      CHECK(std::abs(x.view().row(1)[2 * i] - std::cos(angle)) < rounding);
      CHECK(std::abs(x.view().row(1)[2 * i + 1] - std::sin(angle)) < rounding);
    }
  }
}

// --- Dropout ---------------------------------------------------------------------------------------------------------

constexpr std::size_t dropout_rows = 60;
constexpr std::size_t dropout_cols = 70;

/// All factors of a matrix, row by row.
template <class T>
std::vector<T> factors(const Dropout& dropout) {
  std::vector<T> all;
  for (std::size_t i = 0; i < dropout_rows; i++) {
    for (std::size_t j = 0; j < dropout_cols; j++) all.push_back(dropout.factor<T>(i, j));
  }
  return all;
}

TEST_CASE_TEMPLATE("a number is dropped, or divided by what is left", T, float, double) {
  for (const double rate : {0.1, 0.5, 0.9}) {
    for (const T factor : factors<T>({rate, 7})) {
      CHECK((factor == 0 || factor == static_cast<T>(1 / (1 - rate))));
    }
  }
  for (const T factor : factors<T>({0, 7})) CHECK(factor == 1);
}

TEST_CASE("neighbours, other seeds and other parts drop independently") {
  const double rate = 0.3;
  const Dropout dropout{rate, 1};
  const std::vector<double> all = factors<double>(dropout);
  // Both of a pair are dropped with probability rate^2.
  const auto independent = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double both = 0;
    const std::size_t n = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < n; i++) both += a[i] == 0 && b[i] == 0 ? 1 : 0;
    const double p = rate * rate;
    return std::abs(both / static_cast<double>(n) - p) < 5 * std::sqrt(p * (1 - p) / static_cast<double>(n));
  };
  for (const std::ptrdiff_t apart : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{dropout_cols}}) {
    CHECK(independent(all, {all.begin() + apart, all.end()}));
  }
  CHECK(independent(all, factors<double>({rate, 2})));
  for (std::uint64_t i = 0; i < 10; i++) {
    CHECK(independent(all, factors<double>(dropout.of(i))));
    CHECK(independent(factors<double>(dropout.of(i)), factors<double>(dropout.of(i + 1))));
    CHECK(independent(factors<double>(dropout.of(i).of(1)), factors<double>(dropout.of(1).of(i + 2))));
  }
}

TEST_CASE("what is dropped is the same in float and in double, in a vector and by itself") {
  const Dropout dropout{0.4, 3};
  const std::vector<float> single = factors<float>(dropout);
  const std::vector<double> twice = factors<double>(dropout);
  for (std::size_t i = 0; i < single.size(); i++) CHECK((single[i] == 0) == (twice[i] == 0));
  for (std::size_t i = 0; i < dropout_rows; i++) {
    const Vector<float> vector = dropout_factors<float>(dropout, i, 5);
    for (std::size_t lane = 0; lane < lanes<float>; lane++) CHECK(vector[lane] == dropout.factor<float>(i, 5 + lane));
  }
}

TEST_CASE_TEMPLATE("drop multiplies each number by its factor and touches nothing else", T, float, double) {
  PythonRandom random(1);
  const Dropout dropout{0.5, 9};
  for (const std::size_t width : {1, 3, 8, 16, 17, 33}) {
    const Fenced<T> x = fenced_input<T>(random, 5, width);
    Fenced<T> y = fenced_output<T>(5, width);
    drop<T>(y.view(), x.view(), dropout, 2);
    CHECK(y.intact());
    for (std::size_t i = 0; i < 5; i++) {
      for (std::size_t j = 0; j < width; j++) {
        CHECK(y.view().row(i)[j] == x.view().row(i)[j] * dropout.factor<T>(2 + i, j));
      }
    }
  }
}

}  // namespace
}  // namespace microgpt
