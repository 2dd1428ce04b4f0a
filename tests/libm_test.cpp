#include "base/libm.h"
#include "base/power.h"

#include <doctest/doctest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <valarray>
#include <vector>

#include "base/python_random.h"
#include "first_difference.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

std::uint64_t bits64(PythonRandom& random) { return std::uint64_t{random.bits32()} << 32 | random.bits32(); }

/// Any double at all: also subnormal, infinite, or not a number.
std::vector<double> any_bits(std::size_t n) {
  PythonRandom random(1);
  std::vector<double> numbers(n);
  for (double& number : numbers) number = std::bit_cast<double>(bits64(random));
  return numbers;
}

/// Numbers of ordinary size, where the fast way is taken.
std::vector<double> ordinary(std::size_t n) {
  PythonRandom random(2);
  std::vector<double> numbers(n);
  for (double& number : numbers) {
    number = std::ldexp(uniform(random, -2, 2), static_cast<int>(random.below(128)) - 64);
  }
  return numbers;
}

void add_with_neighbours(std::vector<double>& numbers, double x) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double y : {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)}) {
    numbers.push_back(y);
    numbers.push_back(-y);
  }
}

/// Zeros, powers of two, the ends of the range, and their neighbours.
std::vector<double> edges() {
  std::vector<double> numbers{NAN, -NAN};
  for (double x : {0.0, DBL_MAX, DBL_MIN, HUGE_VAL}) add_with_neighbours(numbers, x);
  for (int exponent = -1074; exponent < 1024; exponent++) add_with_neighbours(numbers, std::ldexp(1.0, exponent));
  return numbers;
}

/// An odd number of 27 bits whose square has 54: half-way between two doubles. And its neighbours.
std::vector<double> squares_half_way(std::size_t n) {
  PythonRandom random(3);
  std::vector<double> numbers;
  while (numbers.size() < n) add_with_neighbours(numbers, std::floor(uniform(random, 0x1.6bp25, 0x1p26)) * 2 + 1);
  return numbers;
}

/// The double nearest to the square of a number half-way between two doubles, so that its root is close to half-way.
std::vector<double> roots_half_way(std::size_t n) {
  PythonRandom random(4);
  std::vector<double> numbers;
  while (numbers.size() < n) {
    const double y = uniform(random, 1, 2);
    const long double half_way = y + 0x1p-53L;
    add_with_neighbours(numbers, static_cast<double>(half_way * half_way));
  }
  return numbers;
}

/// Where the fast version for arrays and pow first differ.
std::string difference_to_pow(const std::vector<double>& x, double exponent) {
  const std::valarray<double> fast = power(std::valarray<double>(x.data(), x.size()), exponent);
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); i++) expected[i] = c_library_pow(x[i], exponent);
  return first_difference(std::vector<double>(std::begin(fast), std::end(fast)), expected);
}

constexpr std::size_t many = 1 << 20;

TEST_CASE("squares, roots and other powers of an array are pow's to the last bit, whatever x") {
  for (const auto& numbers :
       {any_bits(many), ordinary(many), edges(), squares_half_way(many / 4), roots_half_way(many / 4)}) {
    for (const double exponent : {2.0, 0.5}) CHECK(difference_to_pow(numbers, exponent) == "");
  }
  CHECK(difference_to_pow(ordinary(1000), 3) == "");
}

TEST_CASE("power is the C library's pow for exponents that compilers like to replace") {
  for (volatile double exponent : {-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0}) {  // volatile: nothing can be replaced here
    std::vector<double> expected;
    std::vector<double> actual;
    for (double x : ordinary(10000)) {
      expected.push_back(std::pow(x, exponent));
      actual.push_back(power(x, exponent));
    }
    CHECK(first_difference(actual, expected) == "");
  }
}

TEST_CASE("x ** y is what CPython prints where it differs from 1 / x, x * x and sqrt" *
          doctest::description("another C library's pow may round these the other way") *
          doctest::skip(!libm_unlike_published().empty())) {
  struct Pin {
    double x, y, power, shortcut;
  };
  const Pin pins[]{
      {0x1.7ae80e1821c40p+1, -1, 0x1.59ebf9f931452p-2, 1 / 0x1.7ae80e1821c40p+1},
      {0x1.420fe7e7c0c84p+1, -1, 0x1.96fa35008ca28p-2, 1 / 0x1.420fe7e7c0c84p+1},
      {0x1.01eef6bc26730p-1, 2, 0x1.03e1aa7578d88p-2, 0x1.01eef6bc26730p-1 * 0x1.01eef6bc26730p-1},
      {0x1.b165225ed38aap+1, 2, 0x1.6edba31c7585ap+3, 0x1.b165225ed38aap+1 * 0x1.b165225ed38aap+1},
      {0x1.b59d784e90f58p-1, 0.5, 0x1.d95940cf8fbf4p-1, std::sqrt(0x1.b59d784e90f58p-1)},
      {0x1.51b2aa464224cp+1, 0.5, 0x1.9fd0660f9422ap+0, std::sqrt(0x1.51b2aa464224cp+1)},
  };
  for (const Pin& pin : pins) {
    CAPTURE(pin.x);
    CHECK(power(pin.x, pin.y) == pin.power);
    CHECK(pin.power != pin.shortcut);
  }
}

}  // namespace
}  // namespace microgpt
