// The operations of many terms, against the same operations one + and one * at a time, as the reference computes them.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "first_difference.h"
#include "leaves.h"
#include "random_numbers.h"
#include "scalar/ops.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

Value unfused_sum(Values x) {
  Value total = x[0] + 0.0;  // Python's sum() begins with 0
  for (std::size_t i = 1; i < x.size(); i++) total = total + x[i];
  return total;
}

Value unfused_dot(Values a, Values b) {
  return unfused_sum(Values(a.size(), [&](std::size_t i) { return a[i] * b[i]; }));
}

Values unfused_linear(Values x, const Matrix& w) {
  return Values(w.rows(), [&](std::size_t i) { return unfused_dot(w[i], x); });
}

Values unfused_softmax(Values x) {
  const std::vector<double> data = data_of(x);
  const double max_val = *std::max_element(data.begin(), data.end());
  const Values exps(x.size(), [&](std::size_t i) { return exp(x[i] - max_val); });
  const Value total = unfused_sum(exps);
  return Values(x.size(), [&](std::size_t i) { return exps[i] / total; });
}

Values unfused_rmsnorm(Values x) {
  const Value scale = pow(unfused_dot(x, x) / static_cast<double>(x.size()) + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

/// y[0] + 2 y[1] + 3 y[2] + ...: one number that depends on every output in its own way.
Value weighted(Values y) {
  Value total = 0.0;
  for (std::size_t i = 0; i < y.size(); i++) total = total + y[i] * static_cast<double>(i + 1);
  return total;
}

Values reversed(Values x) {
  return Values(x.size(), [&](std::size_t i) { return x[x.size() - 1 - i]; });
}

/// As many values as x has, but only of its first three.
Values repeated(Values x) {
  return Values(x.size(), [&](std::size_t i) { return x[i % std::min<std::size_t>(3, x.size())]; });
}

/// Compares both the results and all gradients to the last bit.
void check_same_bits(Value fused(Values), Value unfused(Values)) {
  PythonRandom random(7);
  for (std::size_t n = 2; n <= 40; n += 2) {
    const Scope scope;
    const Numbers numbers = uniform(random, n, -2, 2);
    const Values x = leaves(numbers);
    const Values same_x = leaves(numbers);
    const Value y = fused(x);
    const Value same_y = unfused(same_x);
    y.backward();
    same_y.backward();
    CHECK(first_difference(Numbers{y.data()}, Numbers{same_y.data()}) == "");
    CHECK(first_difference(grads_of(x), grads_of(same_x)) == "");
  }
}

TEST_CASE("sum adds from left to right, to the last bit") {
  check_same_bits([](Values x) { return exp(sum(x)); }, [](Values x) { return exp(unfused_sum(x)); });
}

TEST_CASE("dot adds from left to right, to the last bit, also of a list with itself or its reverse") {
  check_same_bits([](Values x) { return exp(dot(x.slice(0, 2), x.slice(x.size() - 2, 2))); },
                  [](Values x) { return exp(unfused_dot(x.slice(0, 2), x.slice(x.size() - 2, 2))); });
  check_same_bits([](Values x) { return log(dot(x, x)); }, [](Values x) { return log(unfused_dot(x, x)); });
  check_same_bits([](Values x) { return exp(dot(x, reversed(x)) * 0.1); },
                  [](Values x) { return exp(unfused_dot(x, reversed(x)) * 0.1); });
}

TEST_CASE("a value that stands in a list again and again gets its gradients last term first, to the last bit") {
  check_same_bits([](Values x) { return exp(dot(repeated(x), x) * 0.1); },
                  [](Values x) { return exp(unfused_dot(repeated(x), x) * 0.1); });
}

TEST_CASE("softmax and rmsnorm are the reference's to the last bit") {
  check_same_bits([](Values x) { return weighted(softmax(x)); }, [](Values x) { return weighted(unfused_softmax(x)); });
  check_same_bits([](Values x) { return weighted(rmsnorm(x)); }, [](Values x) { return weighted(unfused_rmsnorm(x)); });
}

TEST_CASE("linear is the reference's to the last bit, also when one matrix is used again and again") {
  PythonRandom random(7);
  for (int point = 0; point < 20; point++) {
    const Scope scope;
    Parameters parameters({{"w", 4, 3}});
    Parameters same_parameters({{"w", 4, 3}});
    const std::vector<double> numbers = uniform(random, 12, -2, 2);
    std::copy(numbers.begin(), numbers.end(), parameters.data().begin());
    std::copy(numbers.begin(), numbers.end(), same_parameters.data().begin());
    const Matrix w(parameters["w"]);
    const Matrix same_w(same_parameters["w"]);
    const Values x = leaves(uniform(random, 3, -2, 2));
    const Values same_x = leaves(data_of(x));
    Values y = x;
    Values same_y = same_x;
    for (int layer = 0; layer < 3; layer++) {
      y = linear(y.slice(0, 3), w);
      same_y = unfused_linear(same_y.slice(0, 3), same_w);
    }
    weighted(y).backward();
    weighted(same_y).backward();
    CHECK(first_difference(data_of(y), data_of(same_y)) == "");
    CHECK(first_difference(grads_of(x), grads_of(same_x)) == "");
    CHECK(first_difference(parameters.grad(), same_parameters.grad()) == "");
  }
}

}  // namespace
}  // namespace microgpt
