// Vectors and their functions.
#include <doctest/doctest.h>

#include <numeric>

#include "fenced.h"
#include "tensor/simd.h"

namespace microgpt {
namespace {

// --- Simd ------------------------------------------------------------------------------------------------------------

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

/// first, first + 1, ..., n of them.
template <class T>
std::vector<T> counted(std::size_t n, T first = 1) {
  std::vector<T> numbers(n);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST_CASE_TEMPLATE("a partial load fills up the other lanes, a partial store writes the first numbers and no more", T,
                   float, double) {
  for (std::size_t n = 0; n <= lanes<T>; n++) {
    const std::vector<T> numbers = counted<T>(n);  // with nothing behind: the address sanitizer sees who reads there
    const Vector<T> with_rest = load(numbers.data(), n, T{-5});
    const Vector<T> with_zero = load(numbers.data(), n);
    for (std::size_t i = 0; i < lanes<T>; i++) {
      CHECK(with_rest[i] == (i < n ? numbers[i] : T{-5}));
      CHECK(with_zero[i] == (i < n ? numbers[i] : T{0}));
    }
    Fenced<T> to = fenced_output<T>(1, n);
    store(to.view().data, with_rest, n);
    CHECK(to.intact());
    CHECK(std::equal(numbers.begin(), numbers.end(), to.view().data));
  }
}

TEST_CASE_TEMPLATE("max finds the largest number in any lane, among negative ones and infinities, too", T, float,
                   double) {
  for (std::size_t i = 0; i < lanes<T>; i++) {
    for (const T largest : {T{1}, T{-2}, infinity<T>}) {
      std::vector<T> numbers = counted<T>(lanes<T>, T{-100});
      numbers[i] = largest;
      CHECK(max<T>(load(numbers.data())) == largest);
      CHECK(max<T>(load(numbers.data()), broadcast(T{-90}))[i] == largest);
      CHECK(max<T>(load(numbers.data()), broadcast(infinity<T>))[i] == infinity<T>);
    }
  }
  CHECK(max<T>(broadcast(-infinity<T>)) == -infinity<T>);
}

// --- exp and log -----------------------------------------------------------------------------------------------------

/// The largest relative error of f at these numbers, in epsilons; `exact` is the same function in more digits.
template <class T>
double largest_error(const std::vector<T>& numbers, Vector<T> f(Vector<T>), long double exact(long double)) {
  long double largest = 0;
  for (std::size_t i = 0; i + lanes<T> <= numbers.size(); i += lanes<T>) {
    const Vector<T> found = f(load(numbers.data() + i));
    for (std::size_t lane = 0; lane < lanes<T>; lane++) {
      const long double expected = exact(numbers[i + lane]);
      if (found[lane] == expected) continue;  // 0 at 1
      const long double error = std::abs((found[lane] - expected) / expected);
      largest = error <= largest ? largest : error;  // also if it is NaN
    }
  }
  return static_cast<double>(largest / std::numeric_limits<T>::epsilon());
}

/// Where exp is neither 0 nor too large.
template <class T>
constexpr T least_exponent = sizeof(T) == 4 ? T(-87.29L) : T(-708.29L);
template <class T>
constexpr T most_exponent = sizeof(T) == 4 ? T(88.29L) : T(709.29L);

constexpr std::size_t num_points = 200'000;

// In roundings of half an eps: one quarter for what is left of x, 0.14 for the series' next term, 1.25 for its last
// step and 0.43 for those before: less than 2.2.
TEST_CASE_TEMPLATE("exp is within 1.1 eps of the true one from its smallest to its largest number", T, float, double) {
  PythonRandom random(2);
  std::vector<T> numbers(num_points);
  for (T& x : numbers) x = static_cast<T>(uniform(random, least_exponent<T>, most_exponent<T>));
  for (T& x : std::span(numbers).first(num_points / 4)) x = static_cast<T>(uniform(random, -1, 1));
  CHECK(largest_error<T>(numbers, exp<T>, [](long double x) { return std::exp(x); }) < 1.1);
}

TEST_CASE_TEMPLATE("exp of what a float cannot hold is 0 on one side, and finite on the other; of 0 and -0 it is 1", T,
                   float, double) {
  auto exp_of = [](T x) { return exp<T>(broadcast(x))[0]; };
  for (const T x : {-infinity<T>, std::numeric_limits<T>::lowest(), T{-1000}}) CHECK(exp_of(x) == 0);
  for (const T x : {infinity<T>, std::numeric_limits<T>::max(), T{1000}}) {
    CHECK(exp_of(x) >= exp_of(most_exponent<T>));
    CHECK(exp_of(x) < infinity<T>);
  }
  for (const T zero : {T{0}, T{-0.0}}) CHECK(exp_of(zero) == 1);
}

TEST_CASE_TEMPLATE("exp and log leave what is not a number as it is, in its lane alone", T, float, double) {
  for (std::size_t i = 0; i < lanes<T>; i++) {
    std::vector<T> numbers(lanes<T>, T{1});
    numbers[i] = std::numeric_limits<T>::quiet_NaN();
    for (const Vector<T>& found : {exp<T>(load(numbers.data())), log<T>(load(numbers.data()))}) {
      for (std::size_t j = 0; j < lanes<T>; j++) CHECK(std::isnan(found[j]) == (i == j));
    }
  }
}

// In the same roundings: 4.2 for the series and its product, at most twice 2 for the exponent times log 2, which may
// have the other sign, and one for the sum: 9.2.
TEST_CASE_TEMPLATE("log is within 5 eps of the true one at all normal positive numbers", T, float, double) {
  PythonRandom random(3);
  std::vector<T> numbers(num_points);
  auto any = [&](double low, double high) {
    return static_cast<T>(std::exp(uniform(random, low, high)));  // all magnitudes alike
  };
  for (T& x : numbers) x = any(least_exponent<T>, most_exponent<T>);
  for (T& x : std::span(numbers).first(num_points / 2)) x = any(-1, 1);
  for (T& x : std::span(numbers).first(num_points / 4)) x = any(-1e-3, 1e-3);
  CHECK(largest_error<T>(numbers, log<T>, [](long double x) { return std::log(x); }) < 5);
  const std::vector<T> edges{std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{1}, T{2}};
  for (const T x : edges) {
    const std::vector<T> all(lanes<T>, x);
    CHECK(largest_error<T>(all, log<T>, [](long double y) { return std::log(y); }) < 5);
  }
}

}  // namespace
}  // namespace microgpt
