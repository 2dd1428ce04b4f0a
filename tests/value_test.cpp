#include "scalar/value.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "central_difference.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

// For doubles the C++ library's, for Values ours.
using std::exp;
using std::log;
using std::pow;
double relu(double x) { return x > 0 ? x : 0; }

/// One formula in a and b, from low to high, in Values and in plain doubles.
struct Formula {
  template <class F>
  Formula(const char* name_, double low_, double high_, F f)
      : name(name_), low(low_), high(high_), of_values(f), of_doubles(f) {}

  const char* name;
  double low, high;
  Value (*of_values)(Value, Value);
  double (*of_doubles)(double, double);
};

const std::vector<Formula> formulas{
    {"a + b", -2, 2, [](auto a, auto b) { return a + b; }},
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

TEST_CASE("every operation and its gradients are those of plain doubles and central differences") {
  PythonRandom random(42);
  for (const Formula& formula : formulas) {
    CAPTURE(formula.name);
    for (int point = 0; point < 100; point++) {
      const Scope scope;
      const double x = uniform(random, formula.low, formula.high);
      const double y = uniform(random, formula.low, formula.high);
      CAPTURE(x);
      CAPTURE(y);
      const Value a = x;
      const Value b = y;
      const Value c = formula.of_values(a, b);
      c.backward();
      CHECK(std::abs(c.data() - formula.of_doubles(x, y)) <= rounding);
      const auto by_a = central_difference([&](double t) { return formula.of_doubles(t, y); }, x, rounding);
      const auto by_b = central_difference([&](double t) { return formula.of_doubles(x, t); }, y, rounding);
      CHECK(std::abs(a.grad() - by_a.slope) <= by_a.error);
      CHECK(std::abs(b.grad() - by_b.slope) <= by_b.error);
      CHECK(by_a.error + by_b.error < 1e-6);  // no kink of relu in between: the test is sharp
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

}  // namespace
}  // namespace microgpt
