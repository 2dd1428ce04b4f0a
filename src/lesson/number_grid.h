// A small matrix in a drawing: its numbers in a grid, under its name.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "draw/svg.h"
#include "lesson/array.h"

namespace microgpt {

/// `corner` is the upper left one; each cell is 44 by 34 pixels. fill(row, column) is the colour behind a number.
template <class Fill>
void draw_numbers(Svg& svg, std::pair<double, double> corner, const std::string& name, const Array& x, int decimals,
                  Fill fill) {
  constexpr double width = 44;
  const auto [left, top] = corner;
  svg.text(left, top - 8, name, "start", 13);
  for (std::size_t r = 0; r < x.rows; r++) {
    for (std::size_t c = 0; c < x.cols; c++) {
      const double at = left + width * static_cast<double>(c), down = top + 34 * static_cast<double>(r);
      svg.rect(at, down, width - 2, 32, fill(r, c));
      svg.text(at + width / 2 - 1, down + 21, fmt::format("{:.{}f}", x[r][c], decimals), "middle", 14);
    }
  }
}

}  // namespace microgpt
