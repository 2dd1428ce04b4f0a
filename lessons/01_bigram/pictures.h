// The picture of lesson 01.
#pragma once

#include "draw/plot.h"
#include "lesson/lesson.h"

namespace microgpt {

/// The probabilities of the whole table, vowels before the other letters, BOS last.
inline Svg table_picture(const std::vector<std::string>& labels, const std::vector<std::vector<double>>& table) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return std::string("aeiou").find(labels[i]) != std::string::npos; });
  Grid grid;
  for (const std::size_t i : order) {
    grid.col_labels.push_back(labels[i]);
    grid.rows.emplace_back();
    for (const std::size_t next : order) grid.rows.back().push_back(table[i][next]);
  }
  grid.row_labels = grid.col_labels;
  Svg picture = heat_maps({{"What the table has learnt: vowels and consonants take turns", grid}});
  picture.text(40, 38, "row: a character, column: the next one; the darker, the likelier", "start", 11);
  return picture;
}

}  // namespace microgpt
