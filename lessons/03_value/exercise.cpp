// Exercise 03: a new operation, a function that no formula describes, and the answer to "why is this gradient what it
// is?".
//
//   make exercise-03    fails until the three functions are written
//   make solution-03    runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "value.h"

using lesson03::Node;
using lesson03::Value;

#ifdef SOLUTION
#include "solution.cpp"
#else

/// The hyperbolic tangent of x. Its derivative is 1 - tanh(x)^2.
Value tanh(const Value& x) {
  // TODO: one node, as exp and relu in value.h
  return x;
}

/// The square root of x, found by trial: if y is a little too large, x / y is a little too small, so their mean is
/// better. Begin with y = 1, and improve it `rounds` times. Only the operators of value.h are needed; nobody has to
/// tell backward() what a square root is.
Value square_root(const Value& x, [[maybe_unused]] int rounds) {
  // TODO
  return x;
}

/// The numbers whose sum is the gradient of `value`, once root.backward() has run: for each node below `root`, itself
/// included, and each of its children that is `value`, the local gradient times the node's own gradient. In the order
/// in which backward() adds them.
std::vector<double> contributions([[maybe_unused]] const Value& root, [[maybe_unused]] const Value& value) {
  // TODO
  return {};
}

#endif

TEST_CASE("tanh computes the hyperbolic tangent") {
  for (double x : {-2.0, 0.0, 0.5, 3.0}) {
    CAPTURE(x);
    INFO("hint: the number itself comes from std::tanh");
    CHECK(tanh(Value(x)).data() == std::tanh(x));
  }
}

TEST_CASE("tanh has the gradient of the formula it stands for") {
  // (e^2x - 1) / (e^2x + 1) in operations that are known already
  const Value x = 0.5;
  const Value e = exp(x * 2.0);
  ((e - 1.0) / (e + 1.0)).backward();
  const Value y = 0.5;
  tanh(y).backward();
  INFO("hint: the local gradient is 1 - t * t, where t is tanh(x)");
  // Either is a sum of terms that are less than 3 together, each rounded fewer than 20 times by at most 2^-52 of it.
  CHECK(std::abs(y.grad() - x.grad()) < 3 * 20 * 0x1p-52);
}

TEST_CASE("tanh makes one node, whose child is x") {
  const Value x = 0.5;
  const Value y = tanh(x);
  INFO("hint: return {data, {children}, {local gradients}}");
  REQUIRE(y.node->children.size() == 1);
  CHECK(y.node->children[0] == x.node);
}

TEST_CASE("a loop finds the square root, and its gradient with it") {
  fmt::print("    x | rounds | square root | gradient | of the formula, 1 / (2 sqrt(x))\n");
  for (int rounds : {1, 2, 4, 8}) {
    const Value x = 2.0;
    const Value root = square_root(x, rounds);
    root.backward();
    const double formula = 1 / (2 * std::sqrt(2.0));
    fmt::print("{:5.1f} | {:6} | {:11.6f} | {:8.6f} | {:8.6f}\n", x.data(), rounds, root.data(), x.grad(), formula);
    INFO("hint: y = (y + x / y) / 2, in Values, `rounds` times");
    if (rounds == 1) CHECK(root.data() == 1.5);
    if (rounds == 8) {
      CHECK(std::abs(root.data() - std::sqrt(2.0)) < 1e-12);
      INFO("hint: a double forgets where it came from; y has to be a Value all the way");
      CHECK(std::abs(x.grad() - formula) < 1e-12);
    }
  }
}

TEST_CASE("a value used twice has two contributions, the one of the root first") {
  const Value u = 3.0;
  const Value v = u + 10.0;
  const Value L = u * v;
  L.backward();
  const std::vector<double> parts = contributions(L, u);
  INFO("hint: a node's children are shared_ptrs; compare child.get() with value.node.get()");
  REQUIRE(parts.size() == 2);
  INFO("hint: from L, v times the gradient of L; from v, 1 times the gradient of v. L hands on first");
  CHECK(parts[0] == 13);
  CHECK(parts[1] == 3);
  CHECK(parts[0] + parts[1] == u.grad());
}

TEST_CASE("x * x has two contributions from one node") {
  const Value x = 4.0;
  const Value L = x * x;
  L.backward();
  const std::vector<double> parts = contributions(L, x);
  INFO("hint: look at every child of a node, also after one has matched");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == 4);
  CHECK(parts[1] == 4);
}

TEST_CASE("what a value gives to its own children is no contribution to it") {
  const Value x = 4.0;
  const Value y = x * 2.0;
  const Value L = y + 1.0;
  L.backward();
  INFO("hint: only nodes that have the value among their children count");
  CHECK(contributions(L, y).size() == 1);
  CHECK(contributions(L, L).empty());
}

TEST_CASE("in the end, the question why") {
  const Value x = 2.0;
  const Value root = square_root(x, 4);
  root.backward();
  fmt::print("the gradient of x is {:.6f}, because", x.grad());
  double total = 0;
  for (double part : contributions(root, x)) {
    fmt::print(" {:+.6f}", part);
    total += part;
  }
  fmt::print("\n");
  INFO("hint: each round uses x once, so there are four contributions");
  CHECK(contributions(root, x).size() == 4);
  CHECK(std::abs(total - x.grad()) < 1e-12);
}
