// Pictures of numbers: a matrix as a heat map or as shades in the terminal, bars.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tokenizer.h"
#include "draw/svg.h"
#include "microgpt.h"

namespace microgpt {

/// Numbers in rows, with a label for each row and each column.
struct Grid {
  std::vector<std::string> row_labels;
  std::vector<std::string> col_labels;
  std::vector<std::vector<double>> rows;  // not negative; rows may differ in length
  double darkest = 0;                     // this number and larger ones are darkest; 0: the largest number
  std::vector<std::string> notes = {};    // lines of text below a heat map
};

using TitledGrid = std::pair<std::string, Grid>;

/// Attention weights: row t holds the weights of position t for positions 0 to t, so each row is one longer than the
/// row above, and sums to 1. `weights` are those rows, for the first of the `tokens`. BOS is labelled ".".
Grid attention_grid(std::span<const Values> weights, std::span<const Token> tokens, const Tokenizer& tokenizer);

/// Multiplies every number by the length of its row: 1 means an even share, and is half dark. So rows of different
/// lengths can be compared, and so can grids.
Grid times_even_share(Grid grid);

/// Heat maps side by side, each under its title. Larger numbers are darker.
Svg heat_maps(const std::vector<TitledGrid>& grids);

/// Rows of such heat maps under a common title. `scale` stands at the end and says what a shade means.
Svg heat_maps(const std::string& title, const std::vector<std::vector<TitledGrid>>& rows, const std::string& scale);

/// A map for a terminal: a shaded block, two columns wide, for each number.
std::string shades(const Grid& grid);

/// The same as numbers, with two decimals.
std::string numbers(const Grid& grid);

/// Several grids side by side, each under its title.
std::string shades(const std::vector<TitledGrid>& grids);

/// Numbers in a row, with three decimals each, and 0 where rounding leaves nothing: "  0.344 -0.227".
std::string numbers(std::span<const double> row);

/// Squares in rows, each in one of a few colours that mean something: which query sees which key, say.
struct Tiles {
  std::string title;
  std::vector<std::string> labels;             // of the rows, and of the columns
  std::vector<std::vector<std::size_t>> rows;  // for each square, which entry of the legend it is
};

/// A colour, and what it means.
using Legend = std::vector<std::pair<std::string, std::string>>;

Svg tile_maps(const std::string& title, const std::vector<Tiles>& maps, const Legend& legend,
              std::size_t maps_in_a_row);

/// A kind of bar: its name, its heights, and how uncertain each is (a line from height - margin to height + margin).
struct Bars {
  std::string name;
  std::vector<double> heights;
  std::vector<double> margins = {};
};

/// Bars side by side over each label. `scale` says what the heights are.
Svg bar_chart(const std::string& title, const std::string& scale, const std::vector<std::string>& labels,
              const std::vector<Bars>& kinds);

}  // namespace microgpt
