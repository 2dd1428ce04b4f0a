#include "base/parse_double.h"

#include <doctest/doctest.h>

namespace microgpt {
namespace {

TEST_CASE("a number is read to the last bit") {
  CHECK(parse_double("0") == 0.0);
  CHECK(parse_double("0.1") == 0.1);
  CHECK(parse_double("-3") == -3.0);
  CHECK(parse_double(".5") == 0.5);
  CHECK(parse_double("1.") == 1.0);
  CHECK(parse_double("1e-4") == 1e-4);
  CHECK(parse_double("2.5E+3") == 2500.0);
  CHECK(parse_double("0.69314718055994530942") == 0x1.62e42fefa39efp-1);
}

TEST_CASE("what is no number, or not only a number, is nothing") {
  for (const char* text : {"",    " 1",  "1 ",   "+1",  "-",  ".",   "e5",  "1e",       "1e+",   "1.2.3",
                           "1-2", "--1", "0x10", "1,5", "1f", "inf", "nan", "infinity", "1e999", "-1e999"}) {
    INFO("'" << text << "'");
    CHECK(!parse_double(text));
  }
}

}  // namespace
}  // namespace microgpt
