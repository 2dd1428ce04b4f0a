// Vectors: their functions, rows of them, and the measurement of their peak.
#include <doctest/doctest.h>

#include <numbers>
#include <numeric>

#include "fenced.h"
#include "fused.h"
#include "tensor/fma_peak.h"
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

// In u = eps / 2, the most by which a number from 1 to 2 is rounded; one from 1/2 to 1 is rounded by half of that, and
// so on. With |r| < 0.35, exp(r) is from 0.7 to 1.42.
// - r: n * ln2_high and its difference from x are exact. So there is one rounding, of a number below 1/2: u/4. What is
//   wrong with n * ln2_low is a hundred times smaller.
// - The next term of the series: 0.35^8 / 8! / 0.7 = 0.14u; in double less.
// - The last step, 1 + r s: u for the sum and u/4 for the product, which is below 1/2. (Where the sum is below 1, u/2
//   and u/4, but of 0.7. That is less.) The step before, s = 1 + r s', has u and u/8, or u/2 and u/8, and counts
//   |r| / exp(r): at most 0.31u. The one before that, around 1/2, u/2 + u/16 times r^2 / exp(r): 0.1u. Others: 0.02u.
// Together that is 0.25u + 0.14u + 1.25u + 0.43u < 2.2u. 2^n is exact.
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

// In u again.
// - z: m - 1 is exact, m + 1 and the quotient are rounded: 2u. z^2: 5u. |z| < 0.172, so z^2 < 0.03.
// - The series 1 + z^2 / 3 + ...: the last sum rounds by u; all before counts z^2 times as much, and so does z^2
//   itself: below 0.2u. The next term is below 1e-10, in double below 1e-19: below 0.01u.
// - log(m) = 2z * series: 2u + 1.2u + u for the product = 4.2u.
// - e * log 2: u for the constant and u for the product = 2u. Opposite in sign to log(m), it is at most twice as large
//   as the result, and log(m) at most as large: 2 * 2u + 4.2u, and u for the sum = 9.2u.
// That is 4.6 eps.
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

/// A number that depends on every bit of f at these numbers, and on their order (FNV-1a).
template <class T>
std::uint64_t bits_of(const std::vector<T>& numbers, Vector<T> f(Vector<T>)) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + lanes<T> <= numbers.size(); i += lanes<T>) {
    const Vector<T> found = f(load(numbers.data() + i));
    for (std::size_t lane = 0; lane < lanes<T>; lane++) {
      hash = (hash ^ std::bit_cast<Unsigned<T>>(T{found[lane]})) * 0x100000001b3;
    }
  }
  return hash;
}

// Nothing but + - * / and multiply_add: so their bits are the same with vectors of any width, and with any compiler.
TEST_CASE_TEMPLATE("exp and log have the same bits everywhere", T, float, double) {
  PythonRandom random(4);
  std::vector<T> numbers(1 << 18);
  for (T& x : numbers) x = static_cast<T>(uniform(random, -20, 20));
  for (int i = 0; i < 1024; i++) {  // numbers that exp rounds to one whole multiple of log 2 or to the next
    numbers[i] = static_cast<T>(i / 32 - 15.5) * std::numbers::ln2_v<T>;
    for (int step = 0; step < i % 32; step++) numbers[i] = std::nextafter(numbers[i], i % 2 == 0 ? T{-20} : T{20});
  }
  auto known = [](std::uint64_t fused, std::uint64_t not_fused) { return multiply_add_is_fused ? fused : not_fused; };
  constexpr bool is_float = sizeof(T) == sizeof(float);
  CHECK(bits_of<T>(numbers, exp<T>) ==
        (is_float ? known(0x1a7d8709a9bb35f1, 0x70907b0cdfcc795f) : known(0x9e0c99768f9b9e06, 0xe86366dd1a9d471c)));
  for (T& x : numbers) x = std::abs(x);
  CHECK(bits_of<T>(numbers, log<T>) ==
        (is_float ? known(0x36e5944f67acdbe5, 0x3a4698bd65b59e81) : known(0x4ea486988549f088, 0x9a770771aa88176a)));
}

// --- Rows ------------------------------------------------------------------------------------------------------------

// --- Fma peak --------------------------------------------------------------------------------------------------------

// That each chain has run to its end shows in its number. (That the loop holds fma_chains instructions, no fewer and no
// more, shows in a disassembly.)
TEST_CASE_TEMPLATE("every chain of the peak's measurement is computed", T, float, double) {
  for (const std::size_t count : {0, 1, 100}) {
    T total = 0;
    for (std::size_t i = 0; i < fma_chains; i++) {
      T x = T{3} + static_cast<T>(i);
      for (std::size_t n = 0; n < count; n++) x = fused(x, static_cast<T>(0.999), static_cast<T>(0.0007));
      total += x;
    }
    CHECK(run_fma_chains<T>(3, count) == static_cast<T>(lanes<T>) * total);
  }
}

}  // namespace
}  // namespace microgpt
