// How a model is looked at: pictures, tables and counts.
#include <doctest/doctest.h>

#include "draw/plot.h"
#include "lesson/likeliest.h"
#include "lesson/work.h"
#include "scalar/ops.h"

using namespace microgpt;

TEST_CASE("attention weights become a triangle labelled with the tokens that looked") {
  const Scope scope;
  const Tokenizer tokenizer(U"ab");
  const std::vector<Token> tokens{tokenizer.bos(), 1, 0, tokenizer.bos()};
  const std::vector<Values> weights{Values(1, [](std::size_t) { return 1.0; }),
                                    Values(2, [](std::size_t t) { return t == 0 ? 0.25 : 0.75; })};
  const Grid grid = attention_grid(weights, tokens, tokenizer);
  CHECK(grid.row_labels == std::vector<std::string>{".", "b"});
  CHECK(grid.col_labels == grid.row_labels);
  CHECK(grid.rows == std::vector<std::vector<double>>{{1}, {0.25, 0.75}});
  CHECK(times_even_share(grid).rows == std::vector<std::vector<double>>{{1}, {0.5, 1.5}});
  CHECK(numbers(grid) == "        .    b\n   . 1.00\n   b 0.25 0.75\n");
  CHECK(shades(grid) == "     . b\n   . ██\n   b ░░▓▓\n");
}

TEST_CASE("grids of different size stand next to each other, each under its title") {
  const Grid large{{"a", "b"}, {"a", "b"}, {{1, 0}, {1, 1}}};
  const Grid small{{"c"}, {"c"}, {{1}}};
  CHECK(shades({{"large", large}, {"small", small}, {"large", large}}) ==
        "     large        small        large\n"
        "     a b          c            a b\n"
        "   a ██         c ██         a ██\n"
        "   b ████                    b ████\n");
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

TEST_CASE("the work of a linear layer is its weights, that of a dot product its length") {
  const Scope scope;
  const Work before = work_on_tape();
  const Parameters parameters({{"w", 3, 2}});
  const Values x(2, [](std::size_t) { return 0.0; });
  const Values y = linear(x, Matrix(parameters["w"]));
  dot(y, y);
  softmax(y);
  const Work work = work_on_tape();
  CHECK(work.linear - before.linear == 6);
  CHECK(work.dot - before.dot == 3);
  CHECK(work.exp - before.exp == 3);
}
