// Values, lists of them and matrices: to the last bit what the slow reference computes, one + and one * at a time, and
// with gradients that are central differences.
#include <functional>
#include <numeric>
#include <type_traits>

#include "central_difference.h"
#include "first_difference.h"
#include "random_numbers.h"
#include "reference.h"
#include "microgpt.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

/// A formula of two numbers is one of two lists, of their first elements, and of a matrix.
template <class F>
auto of_lists(F f) {
  return [f](auto& a, auto& b, auto& w) {
    if constexpr (std::is_invocable_v<F, decltype(a[0]), decltype(b[0])>) {
      return f(a[0], b[0]);
    } else {
      return f(a, b, w);
    }
  };
}

/// One formula of two lists of n numbers and of a matrix, (n, n), in Values and in those of the reference.
struct Formula {
  template <class F>
  Formula(std::string name_, double low_, double high_, F f)
      : name(std::move(name_)), low(low_), high(high_), ours(of_lists(f)), slow(of_lists(f)) {}

  std::string name;
  double low, high;  // of all numbers
  std::function<Value(const Values&, const Values&, const Matrix&)> ours;
  std::function<reference::Value(const reference::Vector&, const reference::Vector&, const reference::Rows&)> slow;
};

auto squared(auto x) {
  for (auto& xi : x) xi = pow(xi, 2.0);
  return x;
}

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
  List elements = x;
  for (std::size_t i = 0; i < x.size(); i++) elements[i] = x[index(i, x.size())];
  return elements;
}

std::size_t from_behind(std::size_t i, std::size_t n) { return n - 1 - i; }
std::size_t one_of_three(std::size_t i, std::size_t n) { return i % std::min<std::size_t>(3, n); }

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
    {"sum", -1, 1, [](auto& a, auto&, auto&) { return exp(sum(a) * 0.1); }},
    {"mean, add, relu", -1, 1, [](auto& a, auto& b, auto&) { return mean(relu(add(a, b))); }},
    {"squared relu", -1, 1, [](auto& a, auto&, auto&) { return weighted(squared(relu(a))); }},
    {"dot", -1, 1, [](auto& a, auto& b, auto&) { return exp(dot(a, b) * 0.1); }},
    {"dot of a list with itself", -1, 1, [](auto& a, auto&, auto&) { return exp(dot(a, a) * 0.1); }},
    {"dot of a list with its reverse", -1, 1,
     [](auto& a, auto&, auto&) { return exp(dot(a, picked(a, from_behind)) * 0.1); }},
    {"dot with the same values again and again", -1, 1,
     [](auto& a, auto&, auto&) { return exp(dot(picked(a, one_of_three), a) * 0.1); }},
    {"softmax", -1, 1, [](auto& a, auto&, auto&) { return weighted(softmax(a)); }},
    {"rmsnorm", -1, 1, [](auto& a, auto&, auto&) { return weighted(rmsnorm(a)); }},
    {"cross_entropy", -1, 1, [](auto& a, auto&, auto&) { return cross_entropy(a, 1); }},
    {"linear", -1, 1, [](auto& a, auto&, auto& w) { return exp(weighted(linear(a, w)) * 0.01); }},
    {"linear, with one matrix again and again", -1, 1,
     [](auto& a, auto&, auto& w) { return mean(linear(linear(linear(a, w), w), w)); }},
    {"a row", -1, 1, [](auto&, auto&, auto& w) { return exp(dot(w[1], w[1]) * 0.1) * w[1][0]; }},
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

TEST_CASE("any formula has the reference's result and gradients to the last bit; they are central differences") {
  PythonRandom random(42);
  for (const Formula& formula : formulas) {
    CAPTURE(formula.name);
    for (std::size_t point = 0; point < 200; point++) {
      const std::size_t n = 2 + point % 20;
      Parameters parameters({{"w", n, n}, {"a", 1, n}, {"b", 1, n}});
      for (double& number : parameters.data()) number = uniform(random, formula.low, formula.high);
      const Scope scope;
      const StateDict p(parameters);
      auto ours = [&] { return formula.ours(p["a"][0], p["b"][0], p["w"]); };
      const Value y = ours();
      y.backward();
      const reference::StateDict state = reference::state_dict(parameters);
      const reference::Value same_y = formula.slow(state.at("a")[0], state.at("b")[0], state.at("w"));
      same_y.backward();
      CHECK(first_difference(Numbers{y.data()}, Numbers{same_y.data()}) == "");
      copy_grad(p.params, parameters);
      CHECK(first_difference(parameters.grad(), reference::grads(state, parameters)) == "");
      if (n <= 4) check_central_differences(p.params, rounding, ours);
    }
  }
}

TEST_CASE("zeros and powers are Python's, whatever came before") {
  const Scope scope;
  for (double zero : {0.0, -0.0}) {
    const Value a = zero;
    const Value b = relu(a);
    b.backward();
    CHECK(first_difference(Numbers{b.data(), a.grad()}, Numbers{0, 0}) == "");
  }
  const Values minus_zero{-0.0}, one{1.0};
  CHECK(first_difference(Numbers{sum(minus_zero).data(), dot(minus_zero, one).data()}, Numbers{0, 0}) == "");
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
