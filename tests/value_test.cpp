// Values, lists of them and matrices: their gradients are central differences. (That they round as microgpt.py does:
// heart_test.cpp.)
#include <functional>
#include <numeric>
#include <type_traits>

#include "central_difference.h"
#include "microgpt.h"
#include "random_numbers.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

/// A formula of two lists of n numbers and of a matrix, (n, n). One of two numbers is of the lists' first elements.
struct Formula {
  template <class F>
  Formula(std::string name_, double low_, double high_, F f)
      : name(std::move(name_)),
        low(low_),
        high(high_),
        of([f](const Values& a, const Values& b, const Matrix& w) -> Value {
          if constexpr (std::is_invocable_v<F, Value, Value>) {
            return f(a[0], b[0]);
          } else {
            return f(a, b, w);
          }
        }) {}

  std::string name;
  double low, high;  // of all numbers
  std::function<Value(const Values&, const Values&, const Matrix&)> of;
};

/// y[0] + 2 y[1] + 3 y[2] + ...: one number that depends on every output in its own way.
template <class List>
auto weighted(const List& y) {
  auto total = y[0] * 1.0;
  for (std::size_t i = 1; i < y.size(); i++) total = total + y[i] * static_cast<double>(i + 1);
  return total;
}

const std::vector<Formula> formulas{
    {"a + b", -2, 2, [](auto a, auto b) { return a + b; }},
    {"a + 3", -2, 2, [](auto a, auto) { return a + 3.0; }},
    {"3 + a", -2, 2, [](auto a, auto) { return 3.0 + a; }},
    {"a - b", -2, 2, [](auto a, auto b) { return a - b; }},
    {"3 - a", -2, 2, [](auto a, auto) { return 3.0 - a; }},
    {"a * b", -2, 2, [](auto a, auto b) { return a * b; }},
    {"a * 3", -2, 2, [](auto a, auto) { return a * 3.0; }},
    {"3 * a", -2, 2, [](auto a, auto) { return 3.0 * a; }},
    {"a / b", 0.5, 2, [](auto a, auto b) { return a / b; }},
    {"a / 3", -2, 2, [](auto a, auto) { return a / 3.0; }},
    {"3 / a", 0.5, 2, [](auto a, auto) { return 3.0 / a; }},
    {"-a", -2, 2, [](auto a, auto) { return -a; }},
    {"pow(a, 2)", -2, 2, [](auto a, auto) { return pow(a, 2.0); }},
    {"pow(a, -0.5)", 0.5, 2, [](auto a, auto) { return pow(a, -0.5); }},
    {"log(a)", 0.5, 2, [](auto a, auto) { return log(a); }},
    {"exp(a)", -2, 2, [](auto a, auto) { return exp(a); }},
    {"relu(a)", -2, 2, [](auto a, auto) { return relu(a); }},
    {"a * a - b / a", 0.5, 2, [](auto a, auto b) { return a * a - b / a; }},
    {"sum", -1, 1, [](auto& a, auto&, auto&) { return exp(sum(a) * 0.1); }},
    {"mean, add, relu", -1, 1, [](auto& a, auto& b, auto&) { return mean(relu(add(a, b))); }},
    {"dot", -1, 1, [](auto& a, auto& b, auto&) { return exp(dot(a, b) * 0.1); }},
    {"dot of a list with itself", -1, 1, [](auto& a, auto&, auto&) { return exp(dot(a, a) * 0.1); }},
    {"softmax", -1, 1, [](auto& a, auto&, auto&) { return weighted(softmax(a)); }},
    {"rmsnorm", -1, 1, [](auto& a, auto&, auto&) { return weighted(rmsnorm(a)); }},
    {"cross_entropy", -1, 1, [](auto& a, auto&, auto&) { return cross_entropy(a, 1); }},
    {"linear", -1, 1, [](auto& a, auto&, auto& w) { return exp(weighted(linear(a, w)) * 0.01); }},
    {"a matrix by row and for two lists", -1, 1,
     [](auto& a, auto& b, auto& w) { return exp(sum(linear(a, w)) * 0.1) + sum(linear(b, w)) * w[0][1]; }},
    {"every operator, with a double on either side, and values used again and again", 1, 2,
     [](auto a, auto b) {
       auto c = a * b + pow(b, 3.0);
       c = c + (c + 1.0) * 2.0 - a;
       c = 3.0 - c / 2.0 + 1.5 * relu(b + a) - 7.0;
       auto d = relu(b - a) + exp(-a / b);
       d = 5.0 / d + log(d * d + c * c) + (0.5 + d);
       return (c - d) / (d * d + 1.0) + 10.0 / (c * c + 2.0);
     }},
};

// All sums of few terms are at most 2^6 = 64, and about 2^5 roundings, of at most 2^-48 each (one unit in the last
// place below 64), go into a result.
constexpr double rounding = 0x1p-43;

TEST_CASE("the gradients of any formula are central differences") {
  PythonRandom random(42);
  for (const Formula& formula : formulas) {
    CAPTURE(formula.name);
    for (std::size_t point = 0; point < 30; point++) {
      const std::size_t n = 2 + point % 3;
      Parameters parameters({{"w", n, n}, {"a", 1, n}, {"b", 1, n}});
      for (double& number : parameters.data()) number = uniform(random, formula.low, formula.high);
      const Scope scope;
      const StateDict p(parameters);
      auto result = [&] { return formula.of(p["a"][0], p["b"][0], p["w"]); };
      result().backward();
      check_central_differences(p.params, rounding, result);
    }
  }
}

TEST_CASE("zeros and powers are Python's, whatever came before") {
  const Scope scope;
  for (double zero : {0.0, -0.0}) {
    const Value a = zero;
    const Value b = relu(a);
    b.backward();
    CHECK((b.data() == 0 && !std::signbit(b.data()) && a.grad() == 0));
  }
  const Values minus_zero{-0.0}, one{1.0};
  for (const Value zero : {sum(minus_zero), dot(minus_zero, one)})
    CHECK((zero.data() == 0 && !std::signbit(zero.data())));
  CHECK(pow(Value(0.0), -1.0).data() == HUGE_VAL);
  CHECK(pow(Value(-0.0), -1.0).data() == -HUGE_VAL);
  CHECK(pow(Value(-0.0), 2.0).data() == 0);
  CHECK(pow(Value(3.0), 2.0).data() == 9);
  CHECK(pow(Value(3.0), 3.0).data() == 27);
  CHECK(pow(Value(-3.0), 3.0).data() == -27);
}

TEST_CASE("softmax of huge logits does not overflow") {
  const Scope scope;
  CHECK(Values(softmax(Values{1000.0, 1000.0, -1000.0})).data() == Numbers{0.5, 0.5, 0});
}

TEST_CASE("sixty diamonds in a row are walked once each, not 2^60 times") {
  const Scope scope;
  const Value x = 1.0;
  Value y = x;
  for (int i = 0; i < 60; i++) y = y + y;
  y.backward();
  CHECK(x.grad() == 0x1p60);
}

TEST_CASE("another backward adds to the leaves and begins anew inside; what it does not reach gets nothing") {
  const Scope scope;
  const Value x = 3.0;
  const Value inner = x * x;
  const Value loss = inner * 2.0;
  const Value other = x * 5.0;
  loss.backward();
  loss.backward();
  CHECK(loss.grad() == 1);
  CHECK(inner.grad() == 2);  // not 4
  CHECK(x.grad() == 24);     // twice 12
  inner.backward();          // once in the middle, now the root
  CHECK(inner.grad() == 1);
  CHECK(x.grad() == 24 + 6);
  CHECK(other.grad() == 0);
}

}  // namespace
}  // namespace microgpt
