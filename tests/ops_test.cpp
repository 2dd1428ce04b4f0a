#include "scalar/ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "central_difference.h"
#include "leaves.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

/// y[0] + 2 y[1] + 3 y[2] + ...: one number that depends on every output in its own way.
Value weighted(Values y) {
  Value total = 0.0;
  for (std::size_t i = 0; i < y.size(); i++) total = total + y[i] * static_cast<double>(i + 1);
  return total;
}

double weighted(const Numbers& y) {
  double total = 0;
  for (std::size_t i = 0; i < y.size(); i++) total += y[i] * static_cast<double>(i + 1);
  return total;
}

// --- The formulas as a textbook writes them, in plain doubles
// ----------------------------------------------------------

double plain_dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Numbers plain_softmax(Numbers x) {
  double total = 0;
  for (double& xi : x) total += xi = std::exp(xi);
  for (double& xi : x) xi /= total;
  return x;
}

Numbers plain_rmsnorm(Numbers x) {
  const double rms = std::sqrt(plain_dot(x, x) / static_cast<double>(x.size()) + 1e-5);
  for (double& xi : x) xi /= rms;
  return x;
}

// All inputs have a size of at most 2, all sums stay below 2^6 = 64, and about 2^5 roundings, of at most 2^-48 each
// (one unit in the last place below 64), go into a result.
constexpr double rounding = 0x1p-43;

/// Compares f with its plain version, and all its gradients with central differences, at many points.
void check_gradients(std::size_t n, Value f(Values), double plain(const Numbers&)) {
  PythonRandom random(42);
  for (int point = 0; point < 100; point++) {
    const Scope scope;
    Numbers numbers = uniform(random, n, -2, 2);
    const Values x = leaves(numbers);
    const Value y = f(x);
    y.backward();
    CHECK(std::abs(y.data() - plain(numbers)) <= rounding);
    for (std::size_t i = 0; i < n; i++) {
      auto vary = [&](double xi) {
        Numbers varied = numbers;
        varied[i] = xi;
        return plain(varied);
      };
      const auto [slope, error] = central_difference(vary, numbers[i], rounding);
      CHECK(std::abs(x[i].grad() - slope) <= error);
      CHECK(error < 1e-6);
    }
  }
}

TEST_CASE("the gradients of sum are central differences") {
  check_gradients(
      5, [](Values x) { return sum(x); }, [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); });
}

TEST_CASE("the gradients of dot are central differences, also of a list with itself") {
  check_gradients(
      6, [](Values x) { return dot(x.slice(0, 3), x.slice(3, 3)); },
      [](const Numbers& x) {
        return plain_dot({x[0], x[1], x[2]}, {x[3], x[4], x[5]});
      });
  check_gradients(
      5, [](Values x) { return dot(x, x); }, [](const Numbers& x) { return plain_dot(x, x); });
}

TEST_CASE("the gradients of softmax are central differences") {
  check_gradients(
      5, [](Values x) { return weighted(softmax(x)); }, [](const Numbers& x) { return weighted(plain_softmax(x)); });
}

TEST_CASE("the gradients of rmsnorm are central differences") {
  check_gradients(
      5, [](Values x) { return weighted(rmsnorm(x)); }, [](const Numbers& x) { return weighted(plain_rmsnorm(x)); });
}

TEST_CASE("the gradients of mean, add and relu are central differences") {
  check_gradients(
      6, [](Values x) { return mean(relu(add(x.slice(0, 3), x.slice(3, 3)))); },
      [](const Numbers& x) {
        return (std::max(0.0, x[0] + x[3]) + std::max(0.0, x[1] + x[4]) + std::max(0.0, x[2] + x[5])) / 3;
      });
}

TEST_CASE("the gradients of cross_entropy are central differences") {
  check_gradients(
      5, [](Values x) { return cross_entropy(x, 3); }, [](const Numbers& x) { return -std::log(plain_softmax(x)[3]); });
}

/// A (4, 3) matrix of random numbers.
Parameters random_matrix(PythonRandom& random) {
  Parameters parameters({{"w", 4, 3}});
  for (double& number : parameters.data()) number = uniform(random, -2, 2);
  return parameters;
}

TEST_CASE("the gradients of linear are central differences, of inputs and weights") {
  PythonRandom random(42);
  for (int point = 0; point < 100; point++) {
    const Scope scope;
    const Numbers numbers = uniform(random, 3, -2, 2);
    Parameters parameters = random_matrix(random);
    const Values x = leaves(numbers);
    weighted(linear(x, Matrix(parameters["w"]))).backward();

    Numbers all(parameters.data().begin(), parameters.data().end());  // the weights, then the inputs
    all.insert(all.end(), numbers.begin(), numbers.end());
    Numbers grads(parameters.grad().begin(), parameters.grad().end());
    for (double grad : grads_of(x)) grads.push_back(grad);
    auto plain = [](const Numbers& n) {
      Numbers y;
      for (std::size_t row = 0; row < 12; row += 3)
        y.push_back(n[row] * n[12] + n[row + 1] * n[13] + n[row + 2] * n[14]);
      return weighted(y);
    };
    for (std::size_t i = 0; i < all.size(); i++) {
      auto vary = [&](double number) {
        Numbers varied = all;
        varied[i] = number;
        return plain(varied);
      };
      const auto [slope, error] = central_difference(vary, all[i], rounding);
      CHECK(std::abs(grads[i] - slope) <= error);
    }
  }
}

// --- What else they promise
// ----------------------------------------------------------------------------------------------

TEST_CASE("sum begins with zero: the sum of -0 alone is 0") {
  const Scope scope;
  CHECK_FALSE(std::signbit(sum(leaves(Numbers{-0.0})).data()));
  CHECK_FALSE(std::signbit(dot(leaves(Numbers{-0.0}), leaves(Numbers{1.0})).data()));
}

TEST_CASE("a list gives its gradient to all of its elements, also after a shorter one that begins with it") {
  const Scope scope;
  const Values x = leaves(Numbers{1, 2, 3, 4, 5, 6});
  const Values doubled(x.size(), [&](std::size_t i) { return x[i] * 2.0; });
  (sum(doubled.slice(0, 3)) + sum(doubled)).backward();
  CHECK(grads_of(x) == Numbers{4, 4, 4, 2, 2, 2});
}

TEST_CASE("softmax of huge logits does not overflow") {
  const Scope scope;
  CHECK(data_of(softmax(leaves(Numbers{1000, 1000, -1000}))) == Numbers{0.5, 0.5, 0});
}

TEST_CASE("lists of different sizes are refused with both sizes") {
  const Scope scope;
  const Values two = leaves(Numbers{1, 2});
  const Values three = leaves(Numbers{1, 2, 3});
  const Parameters parameters({{"w", 4, 3}});
  CHECK_THROWS_WITH_AS(dot(two, three), "dot: sizes 2 and 3", std::invalid_argument);
  CHECK_THROWS_WITH_AS(add(two, three), "add: sizes 2 and 3", std::invalid_argument);
  CHECK_THROWS_WITH_AS(linear(two, Matrix(parameters["w"])), "linear: sizes 2 and 3", std::invalid_argument);
}

TEST_CASE("a fused operation is one node") {
  const Scope scope;
  const Values x = leaves(Numbers{1, 2, 3, 4});
  const std::size_t before = tape.nodes().size();
  sum(x);
  dot(x, x);
  CHECK(tape.nodes().size() == before + 2);
}

}  // namespace
}  // namespace microgpt
