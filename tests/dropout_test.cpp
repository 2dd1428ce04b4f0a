#include "tensor/drop.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/python_random.h"
#include "fenced.h"

namespace microgpt {
namespace {

constexpr std::size_t rows = 60;
constexpr std::size_t cols = 70;

/// All factors of a matrix, row by row.
template <class T>
std::vector<T> factors(const Dropout& dropout) {
  std::vector<T> all;
  for (std::size_t i = 0; i < rows; i++) {
    for (std::size_t j = 0; j < cols; j++) all.push_back(dropout.factor<T>(i, j));
  }
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("a number is dropped, or divided by what is left", T, float, double) {
  for (const double rate : {0.1, 0.5, 0.9}) {
    for (const T factor : factors<T>({rate, 7})) {
      CHECK((factor == 0 || factor == static_cast<T>(1 / (1 - rate))));
    }
  }
  for (const T factor : factors<T>({0, 7})) CHECK(factor == 1);
}

TEST_CASE("as many are dropped as the rate says, in every row and in every column") {
  // The share among n numbers has a standard deviation of sqrt(rate (1 - rate) / n); five of them are hardly ever
  // exceeded, one time in two million.
  for (const double rate : {0.05, 0.3, 0.7}) {
    const auto check = [rate](double zeros, double n) {
      CHECK(std::abs(zeros / n - rate) < 5 * std::sqrt(rate * (1 - rate) / n));
    };
    for (std::uint64_t seed = 0; seed < 20; seed++) {
      std::vector<double> in_row(rows);
      std::vector<double> in_col(cols);
      for (std::size_t i = 0; i < rows; i++) {
        for (std::size_t j = 0; j < cols; j++) {
          const bool is_zero = Dropout{rate, seed}.factor<double>(i, j) == 0;
          in_row[i] += is_zero;
          in_col[j] += is_zero;
        }
      }
      check(std::accumulate(in_row.begin(), in_row.end(), 0.0), rows * cols);
      for (const double zeros : in_row) check(zeros, cols);
      for (const double zeros : in_col) check(zeros, rows);
    }
  }
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
  for (const std::ptrdiff_t apart : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{cols}}) {
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
  for (std::size_t i = 0; i < rows; i++) {
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

}  // namespace microgpt
