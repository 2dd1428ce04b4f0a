// Pictures of numbers: a matrix as a heat map or as shades in the terminal, losses as a curve.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inspect/svg.h"
#include "scalar/values.h"

namespace microgpt {

/// Numbers in rows, with a label for each row and each column.
struct Grid {
  std::vector<std::string> row_labels;
  std::vector<std::string> col_labels;
  std::vector<std::vector<double>> rows;  // row by row; not negative; a row may be shorter than the others
  double darkest = 0;                     // this number, and all above, are darkest; 0: the largest there is
};

using TitledGrid = std::pair<std::string, Grid>;

/// Darker is more.
Svg heat_map(const std::string& title, const Grid& grid);

/// Several of them in a row, each under its title.
Svg heat_maps(const std::vector<TitledGrid>& grids);

/// The same in a terminal: a block of shade for each number, two columns wide.
std::string shades(const Grid& grid);

/// The same as numbers, with two decimals.
std::string numbers(const Grid& grid);

/// Several of them next to each other, each under its title.
std::string shades(const std::vector<TitledGrid>& grids);

/// Numbers in a row, with three decimals each: "  0.342 -0.289".
std::string numbers(Values row);

/// A loss for each step in grey, and in front of it the mean of the 50 steps up to each.
Svg loss_curve(const std::string& title, const std::vector<double>& losses);

/// A name, and a loss for each step.
using Curve = std::pair<std::string, std::vector<double>>;

/// Several of them in one drawing.
Svg loss_curves(const std::string& title, const std::vector<Curve>& curves);

/// The mean of the last `window` numbers up to each place (fewer at the start).
std::vector<double> running_mean(const std::vector<double>& numbers, std::size_t window);

}  // namespace microgpt
