// The operations of many terms: to the last bit what the slow reference computes, one + and one * at a time, and with
// gradients that are central differences.
#include "scalar/ops.h"
#include "train/scalar_trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "all_gradients.h"
#include "first_difference.h"
#include "leaves.h"
#include "random_numbers.h"
#include "reference_gpt.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

auto squared(auto x) {
  for (auto& xi : x) xi = pow(xi, 2.0);
  return x;
}

/// One formula of two lists of n numbers and of a matrix, (n, n), in Values and in those of the reference.
struct Formula {
  template <class F>
  Formula(std::string name_, F f) : name(std::move(name_)), ours(f), slow(f) {}

  std::string name;
  Value (*ours)(const Values& a, const Values& b, const Matrix& w);
  reference::Value (*slow)(const reference::Vector& a, const reference::Vector& b, const reference::Rows& w);
};

/// y[0] + 2 y[1] + 3 y[2] + ...: one number that depends on every output in its own way.
template <class List>
auto weighted(const List& y) {
  auto total = y[0] * 1.0;
  for (std::size_t i = 1; i < y.size(); i++) total = total + y[i] * static_cast<double>(i + 1);
  return total;
}

/// The elements index(0), index(1), ... of x, as many as it has.
template <class List>
List picked(const List& x, std::size_t index(std::size_t i, std::size_t n)) {
  std::vector<std::decay_t<decltype(x[0])>> elements;
  for (std::size_t i = 0; i < x.size(); i++) elements.push_back(x[index(i, x.size())]);
  return List(elements);
}

std::size_t from_behind(std::size_t i, std::size_t n) { return n - 1 - i; }
std::size_t one_of_three(std::size_t i, std::size_t n) { return i % std::min<std::size_t>(3, n); }

const std::vector<Formula> formulas{
    {"sum", [](auto& a, auto&, auto&) { return exp(sum(a) * 0.1); }},
    {"mean, add, relu", [](auto& a, auto& b, auto&) { return mean(relu(add(a, b))); }},
    {"squared relu", [](auto& a, auto&, auto&) { return weighted(squared(relu(a))); }},
    {"dot", [](auto& a, auto& b, auto&) { return exp(dot(a, b) * 0.1); }},
    {"dot of a list with itself", [](auto& a, auto&, auto&) { return exp(dot(a, a) * 0.1); }},
    {"dot of a list with its reverse", [](auto& a, auto&, auto&) { return exp(dot(a, picked(a, from_behind)) * 0.1); }},
    {"dot with the same values again and again",
     [](auto& a, auto&, auto&) { return exp(dot(picked(a, one_of_three), a) * 0.1); }},
    {"softmax", [](auto& a, auto&, auto&) { return weighted(softmax(a)); }},
    {"rmsnorm", [](auto& a, auto&, auto&) { return weighted(rmsnorm(a)); }},
    {"cross_entropy", [](auto& a, auto&, auto&) { return cross_entropy(a, 1); }},
    {"linear", [](auto& a, auto&, auto& w) { return exp(weighted(linear(a, w)) * 0.01); }},
    {"linear, with one matrix again and again",
     [](auto& a, auto&, auto& w) { return mean(linear(linear(linear(a, w), w), w)); }},
};

Parameters random_inputs(std::size_t n, double largest, PythonRandom& random) {
  Parameters parameters({{"w", n, n}, {"a", 1, n}, {"b", 1, n}});
  for (double& number : parameters.data()) number = uniform(random, -largest, largest);
  return parameters;
}

TEST_CASE("every operation and its gradients are the reference's to the last bit, term by term") {
  PythonRandom random(7);
  for (const Formula& formula : formulas) {
    for (std::size_t n = 2; n <= 40; n += 2) {
      CAPTURE(formula.name);
      CAPTURE(n);
      const Scope scope;
      const Parameters parameters = random_inputs(n, 2, random);
      const Values a = leaves(parameters["a"].row(0));
      const Values b = leaves(parameters["b"].row(0));
      const Value y = formula.ours(a, b, matrix(parameters["w"]));
      y.backward();
      Numbers grads(parameters["w"].grad, parameters["w"].grad + n * n);
      for (const Values& x : {a, b}) {
        for (const double grad : grads_of(x)) grads.push_back(grad);
      }
      const reference::StateDict state = reference::state_dict(parameters);
      const reference::Value same_y = formula.slow(state.at("a")[0], state.at("b")[0], state.at("w"));
      same_y.backward();
      CHECK(first_difference(Numbers{y.data()}, Numbers{same_y.data()}) == "");
      CHECK(first_difference(grads, reference::grads(state, parameters)) == "");
    }
  }
}

TEST_CASE("the gradients of every operation are central differences, of inputs and weights") {
  // All inputs have a size of at most 1, all sums are at most 2^6 = 64, and about 2^5 roundings, of at most 2^-48 each
  // (one unit in the last place below 64), go into a result.
  constexpr double rounding = 0x1p-43;
  PythonRandom random(42);
  for (const Formula& formula : formulas) {
    CAPTURE(formula.name);
    for (int point = 0; point < 100; point++) {
      Parameters parameters = random_inputs(4, 1, random);
      check_all_gradients(parameters, rounding, [&] {
        const Matrix a = matrix(parameters["a"]);
        const Matrix b = matrix(parameters["b"]);
        return formula.ours(a[0], b[0], matrix(parameters["w"]));
      });
    }
  }
}

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

TEST_CASE("a fused operation is one node") {
  const Scope scope;
  const Values x = leaves(Numbers{1, 2, 3, 4});
  const std::size_t before = nodes_on_tape();
  sum(x);
  dot(x, x);
  CHECK(nodes_on_tape() == before + 2);
}

}  // namespace
}  // namespace microgpt
