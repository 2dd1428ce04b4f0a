#include "lesson/lesson.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace microgpt {
namespace {

using Numbers = std::vector<double>;

TEST_CASE("the largest difference counts both directions") {
  CHECK(largest_difference(Numbers{1, 5, -3}, Numbers{1, 4, -1}) == 2);
  CHECK(largest_difference(Numbers{}, Numbers{}) == 0);
}

TEST_CASE("answers of different sizes, or without a number, are below no tolerance") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(largest_difference(Numbers{1, 2}, Numbers{1}) < 1e300);
  CHECK_FALSE(largest_difference(Numbers{nan, 2}, Numbers{1, 2}) < 1e300);
  CHECK_FALSE(largest_difference(Numbers{1, nan, 3}, Numbers{1, 2, 3}) < 1e300);
}

}  // namespace
}  // namespace microgpt
