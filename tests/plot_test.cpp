// Pictures: what is written in them, and where; for a browser as SVG, for a terminal as text.
#include "draw/plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "draw/chart.h"

using namespace microgpt;

namespace {

struct Text {
  double x, y;
  std::string words;
};

struct Rect {
  double x, y, width, height;
};

/// A tag's attribute; empty if it has none of this name.
std::string attribute(const std::string& tag, const std::string& name) {
  const std::size_t before = tag.find(" " + name + "=\"");
  if (before == std::string::npos) return "";
  const std::size_t begin = before + name.size() + 3;
  return tag.substr(begin, tag.find('"', begin) - begin);
}

double number(const std::string& tag, const std::string& name) { return std::stod(attribute(tag, name)); }

/// The tags of a kind: each is a line of the picture.
std::vector<std::string> tags(const Svg& picture, const std::string& kind) {
  std::istringstream lines(picture.str());
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("<" + kind + " ")) all.push_back(line);
  }
  return all;
}

std::vector<Text> texts(const Svg& picture) {
  std::vector<Text> all;
  for (const std::string& tag : tags(picture, "text")) {
    const std::size_t begin = tag.find('>') + 1;
    all.push_back({number(tag, "x"), number(tag, "y"), tag.substr(begin, tag.find('<', begin) - begin)});
  }
  return all;
}

/// The rectangles of this colour.
std::vector<Rect> rects(const Svg& picture, const std::string& fill) {
  std::vector<Rect> all;
  for (const std::string& tag : tags(picture, "rect")) {
    if (attribute(tag, "fill") != fill) continue;
    all.push_back({number(tag, "x"), number(tag, "y"), number(tag, "width"), number(tag, "height")});
  }
  return all;
}

/// The text with these words. There must be one, and no other.
Text text(const Svg& picture, const std::string& words) {
  const std::vector<Text> all = texts(picture);
  auto is_it = [&](const Text& some) { return some.words == words; };
  REQUIRE_MESSAGE(std::count_if(all.begin(), all.end(), is_it) == 1, words);
  return *std::find_if(all.begin(), all.end(), is_it);
}

constexpr const char* darkest = "rgb(8,48,107)";

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

TEST_CASE("text in a picture is UTF-8 that XML may hold, whatever it was") {
  Svg picture(10, 10);
  picture.text(0, 0, "<a & b> \u05e9 \x1b[2J\x7f\xff\xc3 \xc2\x9b \xef\xbf\xbf \xed\xa0\x80\t");
  CHECK(text(picture, "&lt;a &amp; b&gt; \u05e9 \\x1b[2J\\x7f\\xff\\xc3 \\x9b \\xffff \\xed\\xa0\\x80\\x09").x == 0);
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

TEST_CASE("heat maps in rows have a common title, one of their own, and a scale at the end") {
  const TitledGrid wide{"wide", {{"a"}, {"b", "c"}, {{1, 0.5}}}};
  const TitledGrid small{"small", {{"d"}, {"e"}, {{2}}}};
  const TitledGrid below{"below", {{"f"}, {"g"}, {{3}}}};
  const Svg picture = heat_maps("title", {{wide, small}, {below}}, "dark: much");
  CHECK(text(picture, "title").y < text(picture, "wide").y);
  CHECK(text(picture, "wide").y == text(picture, "small").y);
  CHECK(text(picture, "wide").x < text(picture, "small").x);
  CHECK(text(picture, "below").y > text(picture, "a").y);
  CHECK(text(picture, "below").x == text(picture, "wide").x);
  CHECK(text(picture, "b").y < text(picture, "a").y);  // a column's label stands above, a row's to the left
  CHECK(text(picture, "a").x < text(picture, "b").x);
  CHECK(text(picture, "b").x < text(picture, "c").x);
  CHECK(text(picture, "dark: much").y > text(picture, "f").y);
}

TEST_CASE("in a heat map the largest number is darkest, unless another is, and zero leaves no trace") {
  Grid grid{{"a"}, {"b", "c", "d"}, {{4, 2, 0}}};
  CHECK(rects(heat_map("title", grid), darkest).size() == 1);
  CHECK(rects(heat_map("title", grid), "white").size() == 1);  // the background
  grid.darkest = 2;
  CHECK(rects(heat_map("title", grid), darkest).size() == 2);
  grid.darkest = 8;
  CHECK(rects(heat_map("title", grid), darkest).empty());
}

TEST_CASE("tiles of one colour are one rectangle, and the legend says what it means") {
  const Tiles first{"first", {"a", "b"}, {{0, 0}, {1, 0}}}, second{"second", {"a", "b"}, {{1, 1}, {1, 1}}};
  const Svg picture = tile_maps("title", {first, second}, {{"red", "sees"}, {"blue", "does not"}}, 1);
  CHECK(text(picture, "title").y < text(picture, "first").y);
  CHECK(text(picture, "first").y < text(picture, "second").y);
  CHECK(text(picture, "first").x == text(picture, "second").x);
  const std::vector<Rect> red = rects(picture, "red"), blue = rects(picture, "blue");
  REQUIRE(red.size() == 3);  // two neighbours, one square alone, and the legend's
  CHECK(red[0].width == 2 * red[1].width);
  CHECK(red[0].height == red[1].height);
  REQUIRE(blue.size() == 4);
  CHECK(std::abs(red.back().y - text(picture, "sees").y) < 12);
  CHECK(std::abs(blue.back().y - text(picture, "does not").y) < 12);
  CHECK(text(picture, "sees").x < blue.back().x);
  const Svg side_by_side = tile_maps("title", {first, second}, {{"red", "sees"}, {"blue", "does not"}}, 2);
  CHECK(text(side_by_side, "first").y == text(side_by_side, "second").y);
}

TEST_CASE("bars are as high as their numbers, stand over their labels, and go down if these are negative") {
  const Svg picture = bar_chart("title", "scale", {"left", "right"}, {{"one", {1, 2}}, {"two", {-0.5, 0}, {0.1, 0.2}}});
  for (const char* words : {"title", "scale", "left", "right", "one", "two", "0.0", "1.0", "2.0"}) text(picture, words);
  const std::vector<Rect> one = rects(picture, "#0072b2"), two = rects(picture, "#d55e00");
  REQUIRE(one.size() == 3);  // first that of the legend
  REQUIRE(two.size() == 3);
  CHECK(one[2].height == doctest::Approx(2 * one[1].height).epsilon(0.01));
  CHECK(two[1].height == doctest::Approx(one[1].height / 2).epsilon(0.01));
  CHECK(two[1].y == doctest::Approx(one[1].y + one[1].height).epsilon(0.01));  // at zero, one ends and the other begins
  CHECK(two[2].height == 0);
  CHECK(one[1].x < text(picture, "left").x);
  CHECK(text(picture, "left").x < one[2].x);
  CHECK(one[2].x < text(picture, "right").x);
  const std::vector<std::string> lines = tags(picture, "line");
  auto is_margin = [](const std::string& line) { return attribute(line, "stroke-width") == "2"; };
  CHECK(std::count_if(lines.begin(), lines.end(), is_margin) == 2);
}

TEST_CASE("a chart names its axes and its lines, and leaves out what is above them") {
  const Svg picture = chart("title", {"rate", {1, 10, 100}, true}, {"loss", {2, 3}},
                            {{"first", {{1, 2.5}, {10, 2}, {100, 2.5}}}, {"second", {{1, 2.5}, {10, 3.5}}}});
  for (const char* words : {"title", "loss", "2", "3"}) text(picture, words);
  const double at_1 = text(picture, "1").x, at_10 = text(picture, "10").x, at_100 = text(picture, "100").x;
  CHECK(at_10 - at_1 == doctest::Approx(at_100 - at_10));  // equal factors
  const std::vector<Rect> first = rects(picture, "#0072b2"), second = rects(picture, "#d55e00");
  REQUIRE(first.size() == 4);  // three points, and the lowest a second time
  CHECK(first[0].y == first[2].y);
  CHECK(first[1].y > first[0].y);
  CHECK(first[1].x + first[1].width / 2 == doctest::Approx(at_10));
  CHECK(second.size() == 2);
  CHECK(text(picture, "first").y == text(picture, "second").y);
  CHECK(text(picture, "first").x < text(picture, "second").x);
}

TEST_CASE("a curve names its axes, and the line beside it") {
  const Svg picture = loss_curve("title", {3, 1.5, 2.5}, Baseline{"even guess", 2});
  for (const char* words : {"title", "loss (nats per token)", "step 1", "step 3", "2", "3"}) text(picture, words);
  CHECK(text(picture, "2").y > text(picture, "3").y);
  CHECK(text(picture, "even guess").y < text(picture, "2").y);
  const std::vector<std::string> lines = tags(picture, "line");
  REQUIRE(!lines.empty());
  CHECK(number(lines.back(), "y1") == doctest::Approx(text(picture, "2").y - 4));  // where its loss is on the axis
}
