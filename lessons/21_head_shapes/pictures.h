// The pictures of lesson 21, and the rows of its tables: numbers in, text or an Svg out.
#pragma once

#include "heads/gallery.h"
#include "lesson/lesson.h"

namespace microgpt {

/// A number for each target, below its name.
inline void print_row(const std::string& title, std::span<const double> numbers, const std::string& end = "") {
  const std::size_t widths[]{5, 14, 5, 12, 9};
  fmt::print("{:14}", title);
  for (std::size_t i = 0; i < numbers.size(); i++) fmt::print(" | {:{}.2f}", numbers[i], widths[i]);
  fmt::print("{}\n", end);
}

/// At aria: dark where a position finds the target, pale what it sees besides.
inline Svg draw_targets(std::vector<TitledGrid> maps) {
  for (auto& [name, grid] : maps) grid.row_labels = grid.col_labels = {".", "a", "r", "i", "a"};
  return heat_maps("Five targets at aria: the last two exist only where a letter comes again", {maps},
                   "Row: who looks; column: at whom. Dark: the target; pale: what is seen besides.");
}

/// Head 1:1 with all heads, without one of its helpers, and without both.
inline Svg draw_blinded(const TitledGrid& whole, TitledGrid without_one, TitledGrid without_both) {
  without_one.first = "without 0:0";
  without_both.first = "without 0:0 and 0:2";
  return gallery("Without the heads that look one back, 1:1 finds less and less", {whole, without_one, without_both},
                 4);
}

}  // namespace microgpt
