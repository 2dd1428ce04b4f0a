#include "base/libm.h"
#include "base/power.h"

#include <doctest/doctest.h>

#include <cfloat>

#include "first_difference.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

Numbers random_numbers(std::size_t n, double (*make)(PythonRandom& random)) {
  PythonRandom random(1);
  Numbers numbers(n);
  for (double& number : numbers) number = make(random);
  return numbers;
}

/// Any double at all: also subnormal, infinite, or not a number.
double any_bits(PythonRandom& random) {
  const std::uint64_t high = random.bits32();
  return std::bit_cast<double>(high << 32 | random.bits32());
}

/// A number of ordinary size, where the fast way is taken.
double ordinary(PythonRandom& random) {
  return std::ldexp(uniform(random, -2, 2), static_cast<int>(random.below(128)) - 64);
}

/// An odd number of 27 bits whose square has 54: half-way between two doubles.
double square_half_way(PythonRandom& random) { return std::floor(uniform(random, 0x1.6bp25, 0x1p26)) * 2 + 1; }

/// The double nearest to the square of a number half-way between two doubles, so that its root is close to half-way.
double root_half_way(PythonRandom& random) {
  const long double half_way = uniform(random, 1, 2) + 0x1p-53L;
  return static_cast<double>(half_way * half_way);
}

/// Zeros, powers of two, and the ends of the range.
Numbers edges() {
  Numbers numbers{NAN, 0.0, DBL_MAX, DBL_MIN, HUGE_VAL};
  for (int exponent = -1074; exponent < 1024; exponent++) numbers.push_back(std::ldexp(1.0, exponent));
  return numbers;
}

Numbers with_neighbours(const Numbers& numbers) {
  Numbers all;
  for (const double x : numbers) {
    for (const double y : {x, std::nextafter(x, HUGE_VAL), std::nextafter(x, -HUGE_VAL)}) {
      all.push_back(y);
      all.push_back(-y);
    }
  }
  return all;
}

/// Where power() and pow first differ.
std::string difference_to_pow(const Numbers& x, double exponent) {
  Numbers fast, expected;
  for (const double number : x) {
    fast.push_back(power(number, exponent));
    expected.push_back(c_library_pow(number, exponent));
  }
  return first_difference(fast, expected);
}

TEST_CASE("squares, roots and other powers are pow's to the last bit, whatever x") {
  constexpr std::size_t many = 1 << 20;
  for (const Numbers& numbers : {random_numbers(many, any_bits), random_numbers(many, ordinary),
                                 with_neighbours(edges()), with_neighbours(random_numbers(many / 24, square_half_way)),
                                 with_neighbours(random_numbers(many / 24, root_half_way))}) {
    for (const double exponent : {2.0, 0.5}) CHECK(difference_to_pow(numbers, exponent) == "");
  }
  for (volatile double exponent : {-2.0, -1.0, -0.5, 1.0, 3.0}) {  // volatile: no compiler knows which to replace
    CHECK(difference_to_pow(random_numbers(10000, ordinary), exponent) == "");
  }
}

}  // namespace
}  // namespace microgpt
