#include <doctest/doctest.h>

#include "inspect/likeliest.h"
#include "inspect/plot.h"

using namespace microgpt;

TEST_CASE("grids of different size stand next to each other, each under its title") {
  const Grid large{{"a", "b"}, {"a", "b"}, {{1, 0}, {1, 1}}};
  const Grid small{{"c"}, {"c"}, {{1}}};
  CHECK(shades({{"large", large}, {"small", small}, {"large", large}}) ==
        "     large        small        large\n"
        "     a b          c            a b\n"
        "   a ██         c ██         a ██\n"
        "   b ████                    b ████\n");
}

TEST_CASE("a drawing of two curves names both") {
  const std::string svg = loss_curves("title", {{"one", {3, 2}}, {"two", {2.5, 1.5, 1}}}).str();
  for (const char* text : {">title<", ">one<", ">two<", ">step 3<"}) CHECK(svg.find(text) != std::string::npos);
}

TEST_CASE("Values are printed side by side") {
  const Scope scope;
  CHECK(numbers(Values(2, [](std::size_t i) { return i == 0 ? 0.3416 : -12.0; })) == "  0.342 -12.000");
}

TEST_CASE("the likeliest tokens come first, and no more than there are") {
  const Tokenizer tokenizer(U"ab");
  const std::vector<double> p{0.25, 0.25, 0.5};
  CHECK(likeliest(p, tokenizer, 2) == ". 0.500, a 0.250");
  CHECK(likeliest(p, tokenizer, 9) == ". 0.500, a 0.250, b 0.250");
}
