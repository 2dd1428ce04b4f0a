// Pictures of numbers: a matrix as a heat map or as shades in the terminal, losses as a curve.
#pragma once

#include <string>
#include <vector>

#include "inspect/svg.h"

namespace microgpt {

/// Numbers in rows, with a label for each row and each column.
struct Grid {
  std::vector<std::string> row_labels;
  std::vector<std::string> col_labels;
  std::vector<std::vector<double>> rows;  // row by row; not negative; a row may be shorter than the others
};

/// Darker is more; the darkest is the largest number of the grid.
Svg heat_map(const std::string& title, const Grid& grid);

/// The same in a terminal: a block of shade for each number, two columns wide.
std::string shades(const Grid& grid);

/// The same as numbers, with two decimals.
std::string numbers(const Grid& grid);

/// A loss for each step in grey, and in front of it the mean of the 50 steps up to each.
Svg loss_curve(const std::string& title, const std::vector<double>& losses);

/// The mean of the last `window` numbers up to each place (fewer at the start).
std::vector<double> running_mean(const std::vector<double>& numbers, std::size_t window);

}  // namespace microgpt
