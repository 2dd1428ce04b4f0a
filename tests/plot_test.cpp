// Pictures: for a browser as SVG, for a terminal as text. (Where things stand in charts and maps is seen in the
// lessons' pictures, which are compared with the committed ones.)
#include "draw/plot.h"

#include <doctest/doctest.h>

#include "temporary_directory.h"

using namespace microgpt;

namespace {

std::size_t count(const std::string& part, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) n++;
  return n;
}

}  // namespace

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

TEST_CASE("in a heat map the largest number is darkest, unless another is, and zero leaves no trace") {
  Grid grid{{"a"}, {"b", "c", "d"}, {{4, 2, 0}}};
  auto rects = [&](const std::string& fill) { return count("fill=\"" + fill + "\"/>", heat_maps({{"", grid}}).str()); };
  CHECK(rects("rgb(8,48,107)") == 1);
  CHECK(rects("white") == 1);  // the background
  grid.darkest = 2;
  CHECK(rects("rgb(8,48,107)") == 2);
  grid.darkest = 8;
  CHECK(rects("rgb(8,48,107)") == 0);
}

TEST_CASE("a picture is written with the folders it lies in") {
  const TemporaryDirectory directory;
  const Svg picture(10, 10);
  picture.write(directory / "a/b/c.svg");
  CHECK(contents(directory / "a/b/c.svg") == picture.str());
}

TEST_CASE("text in a picture is UTF-8 that XML may hold, whatever it was") {
  Svg picture(10, 10);
  picture.text(0, 0, "<a & b> \u05e9 \x1b[2J\x7f\xff\xc3 \xc2\x9b \xef\xbf\xbf \xed\xa0\x80\t");
  CHECK(count(">&lt;a &amp; b&gt; \u05e9 \\x1b[2J\\x7f\\xff\\xc3 \\x9b \\xffff \\xed\\xa0\\x80\\x09<", picture.str()) ==
        1);
}
