#include <doctest/doctest.h>

#include "inspect/attention.h"

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
