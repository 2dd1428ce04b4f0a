#include "microgpt.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "central_difference.h"
#include "first_difference.h"
#include "random_numbers.h"
#include "reference_value.h"

namespace microgpt {
namespace {

// For doubles the C++ library's, for Values ours, for reference Values those of the reference.
using std::exp;
using std::log;
using std::pow;
double relu(double x) { return x > 0 ? x : 0; }

/// One formula in a and b, from low to high, in Values, in plain doubles and in reference Values.
struct Formula {
  template <class F>
  Formula(std::string name_, double low_, double high_, F f)
      : name(std::move(name_)), low(low_), high(high_), of_values(f), of_doubles(f), of_reference(f) {}

  std::string name;
  double low, high;
  Value (*of_values)(Value, Value);
  double (*of_doubles)(double, double);
  reference::Value (*of_reference)(reference::Value, reference::Value);
};

const std::vector<Formula> formulas{
    {"a + b", -2, 2, [](auto a, auto b) { return a + b; }},
    {"a + a", -2, 2, [](auto a, auto) { return a + a; }},
    {"a + 3", -2, 2, [](auto a, auto) { return a + 3.0; }},
    {"3 + a", -2, 2, [](auto a, auto) { return 3.0 + a; }},
    {"a - b", -2, 2, [](auto a, auto b) { return a - b; }},
    {"a - 3", -2, 2, [](auto a, auto) { return a - 3.0; }},
    {"3 - a", -2, 2, [](auto a, auto) { return 3.0 - a; }},
    {"a * b", -2, 2, [](auto a, auto b) { return a * b; }},
    {"a * 3", -2, 2, [](auto a, auto) { return a * 3.0; }},
    {"3 * a", -2, 2, [](auto a, auto) { return 3.0 * a; }},
    {"a / b", 0.5, 2, [](auto a, auto b) { return a / b; }},
    {"a / 3", -2, 2, [](auto a, auto) { return a / 3.0; }},
    {"3 / a", 0.5, 2, [](auto a, auto) { return 3.0 / a; }},
    {"3 / a, a below 0", -2, -0.5, [](auto a, auto) { return 3.0 / a; }},
    {"-a", -2, 2, [](auto a, auto) { return -a; }},
    {"pow(a, 2)", -2, 2, [](auto a, auto) { return pow(a, 2.0); }},
    {"pow(a, 3)", -2, 2, [](auto a, auto) { return pow(a, 3.0); }},
    {"pow(a, -0.5)", 0.5, 2, [](auto a, auto) { return pow(a, -0.5); }},
    {"log(a)", 0.5, 2, [](auto a, auto) { return log(a); }},
    {"exp(a)", -2, 2, [](auto a, auto) { return exp(a); }},
    {"relu(a)", -2, 2, [](auto a, auto) { return relu(a); }},
    {"relu(a) squared", -2, 2, [](auto a, auto) { return pow(relu(a), 2.0); }},
    {"a * a - b / a", 0.5, 2, [](auto a, auto b) { return a * a - b / a; }},
};

// No formula rounds more than 8 = 2^3 times, each time by at most one unit in the last place of a number below 16,
// 2^-49, and no slope further on is above 4 = 2^2. So a result is at most 2^-44 off.
constexpr double rounding = 0x1p-44;

/// The result, and the gradients of x and y.
template <class V>
std::vector<double> of(V (*formula)(V, V), double x, double y) {
  const V a = x;
  const V b = y;
  const V c = formula(a, b);
  c.backward();
  return {c.data(), a.grad(), b.grad()};
}

TEST_CASE("any formula has the result of plain doubles, and gradients that are central differences") {
  PythonRandom random(42);
  for (const Formula& formula : formulas) {
    CAPTURE(formula.name);
    for (int point = 0; point < 100; point++) {
      const Scope scope;
      const double x = uniform(random, formula.low, formula.high);
      const double y = uniform(random, formula.low, formula.high);
      CAPTURE(x);
      CAPTURE(y);
      const std::vector<double> found = of(formula.of_values, x, y);
      CHECK(std::abs(found[0] - formula.of_doubles(x, y)) <= rounding);
      const auto by_a = central_difference([&](double t) { return formula.of_doubles(t, y); }, x, rounding);
      const auto by_b = central_difference([&](double t) { return formula.of_doubles(x, t); }, y, rounding);
      CHECK(std::abs(found[1] - by_a.slope) <= by_a.error);
      CHECK(std::abs(found[2] - by_b.slope) <= by_b.error);
      CHECK(by_a.error + by_b.error < 1e-6);  // no kink of relu in between: the test is sharp
    }
  }
}

/// Every operator, with a double on either side, and values used again and again. The last of the chain.
const Formula every_operator{"every operator", -3, 3, [](auto a, auto b) {
                               auto c = a * b + pow(b, 3.0);
                               c = c + (c + 1.0) * 2.0 - a;
                               c = 3.0 - c / 2.0 + 1.5 * relu(b + a) - 7.0;
                               auto d = relu(b - a) + exp(-a / b);
                               d = 5.0 / d + log(d * d + c * c) + (0.5 + d);
                               return (c - d) / (d * d + 1.0) + 10.0 / (c * c + 2.0);
                             }};

TEST_CASE("any formula has the reference's result and gradients to the last bit") {
  PythonRandom random(42);
  std::vector<Formula> all = formulas;
  all.push_back(every_operator);
  for (const Formula& formula : all) {
    CAPTURE(formula.name);
    for (int point = 0; point < 1000; point++) {
      const Scope scope;
      const double x = uniform(random, formula.low, formula.high);
      const double y = uniform(random, formula.low, formula.high);
      CHECK(first_difference(of(formula.of_values, x, y), of(formula.of_reference, x, y)) == "");
    }
  }
}

TEST_CASE("relu of zero is zero and passes no gradient on") {
  const Scope scope;
  for (double zero : {0.0, -0.0}) {
    const Value a = zero;
    const Value b = relu(a);
    b.backward();
    CHECK(b.data() == 0);
    CHECK_FALSE(std::signbit(b.data()));
    CHECK(a.grad() == 0);
  }
}

TEST_CASE("a power remembers neither the last base's sign nor its exponent") {
  const Scope scope;
  CHECK(pow(Value(0.0), -1.0).data() == HUGE_VAL);
  CHECK(pow(Value(-0.0), -1.0).data() == -HUGE_VAL);
  CHECK(pow(Value(-0.0), 2.0).data() == 0);
  CHECK(pow(Value(3.0), 2.0).data() == 9);
  CHECK(pow(Value(3.0), 3.0).data() == 27);
  CHECK(pow(Value(-3.0), 3.0).data() == -27);
}

TEST_CASE("sixty diamonds in a row are walked once each, not 2^60 times") {
  const Scope scope;
  const Value x = 1.0;
  Value y = x;
  for (int i = 0; i < 60; i++) y = y + y;
  y.backward();
  CHECK(x.grad() == 0x1p60);
}

TEST_CASE("a second backward adds to the leaves and begins anew inside") {
  const Scope scope;
  const Value x = 3.0;
  const Value inner = x * x;
  const Value loss = inner * 2.0;
  loss.backward();
  loss.backward();
  CHECK(loss.grad() == 1);
  CHECK(inner.grad() == 2);  // not 4
  CHECK(x.grad() == 24);     // twice 12
}

TEST_CASE("two losses of one leaf add up") {
  const Scope scope;
  const Value x = 3.0;
  const Value inner = x * 7.0;
  (inner * inner).backward();
  inner.backward();  // once in the middle, now the root
  CHECK(inner.grad() == 1);
  CHECK(x.grad() == 2 * 21 * 7 + 7);
}

TEST_CASE("what the loss was not computed from gets no gradient") {
  const Scope scope;
  const Value x = 3.0;
  const Value loss = x * 2.0;
  const Value other = x * 5.0;
  loss.backward();
  CHECK(x.grad() == 2);
  CHECK(other.grad() == 0);
}

TEST_CASE("a chain of a million nodes does not overflow the stack, and its gradient is right") {
  const Scope scope;
  const Value x = 1.0;
  Value y = x;
  for (int i = 0; i < 500'000; i++) y = (y + 1.0) * (i % 2 == 0 ? 2.0 : 0.5);
  y.backward();
  CHECK(x.grad() == 1);  // 250,000 factors of 2 and of 1/2
}

}  // namespace
}  // namespace microgpt
