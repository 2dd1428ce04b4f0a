// The picture of lesson 15: what a new letter needs.
#pragma once

#include <string>

#include "inspect/svg.h"

namespace microgpt {

/// The scores of a name's positions: a row for each query, a column for each key. The last row is the new letter.
inline Svg rows_picture(const std::string& name) {
  constexpr double side = 40, left = 150, top = 92;
  constexpr const char *done = "#d0d0d0", *fresh = "#0072b2", *kept = "#e69f00";
  const std::string tokens = "." + name;
  const std::size_t n = tokens.size();
  Svg svg(620, 400);
  svg.text(20, 26, "A new letter adds one row: it asks one query, and meets every key", "start", 15);
  for (std::size_t t = 0; t < n; t++) {
    const double y = top + side * static_cast<double>(t), x = left + side * static_cast<double>(t);
    const bool is_new = t + 1 == n;
    svg.rect(x + 2, top - 34, side - 4, 26, is_new ? fresh : kept);
    svg.text(x + side / 2, top - 16, tokens.substr(t, 1), "middle", 15, 0, is_new ? "white" : "black");
    svg.rect(left - 40, y + 7, 26, side - 14, is_new ? fresh : done);
    svg.text(left - 27, y + 26, tokens.substr(t, 1), "middle", 15, 0, is_new ? "white" : "black");
    for (std::size_t s = 0; s <= t; s++) {
      svg.rect(left + side * static_cast<double>(s) + 2, y + 2, side - 4, side - 4, is_new ? fresh : done);
    }
  }
  svg.text(left - 8, top - 42, "keys and values", "start", 13);
  svg.text(left - 50, top + 25, "queries", "end", 13);
  const double right = left + side * static_cast<double>(n) + 24;
  auto legend = [&](double y, const char* colour, const char* first, const char* second) {
    svg.rect(right, y, 14, 14, colour);
    svg.text(right + 20, y + 12, first, "start", 13);
    svg.text(right + 20, y + 28, second, "start", 13);
  };
  legend(70, kept, "kept: asked for again", "in every later row");
  legend(130, done, "done: nobody asks", "for these again");
  legend(190, fresh, "new: computed now", "");
  svg.text(left, top + side * static_cast<double>(n) + 26, "no square above the diagonal: nobody looks ahead", "start",
           13);
  return svg;
}

}  // namespace microgpt
