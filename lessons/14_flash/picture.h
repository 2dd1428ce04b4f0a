// The pictures of lesson 14: what is carried from block to block, and how little of the matrix exists at a time.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "draw/svg.h"

namespace microgpt {

/// What is known after a block, and what the block did to all that was known before.
struct Snapshot {
  std::string scores;
  double most, shrink, total, mixed;
};

inline Svg running_picture(const std::vector<Snapshot>& blocks) {
  Svg svg(660, 250);
  svg.text(20, 28, "Two sums walk along the blocks, and shrink when a larger score comes", "start", 15);
  for (std::size_t i = 0; i < blocks.size(); i++) {
    const Snapshot& b = blocks[i];
    const double x = 90 + 260 * static_cast<double>(i);
    svg.rect(x, 56, 130, 40, "#bfe0f5");
    svg.text(x + 65, 81, "scores " + b.scores, "middle", 14);
    svg.line(x + 65, 96, x + 65, 124, "black");
    svg.rect(x, 124, 130, 84, "#e69f00");
    svg.text(x + 65, 148, fmt::format("most  {}", b.most), "middle", 14);
    svg.text(x + 65, 171, fmt::format("total  {:.2f}", b.total), "middle", 14);
    svg.text(x + 65, 194, fmt::format("mixed  {:.2f}", b.mixed), "middle", 14);
    svg.line(x + 130, 166, x + 256, 166, "black");
    svg.line(x + 248, 161, x + 256, 166, "black");
    svg.line(x + 248, 171, x + 256, 166, "black");
    const bool last = i + 1 == blocks.size();
    svg.text(x + 195, 156, last ? "mixed / total" : fmt::format("sums times {:.2f}", blocks[i + 1].shrink), "middle",
             13);
    if (last) svg.text(x + 195, 186, fmt::format("= {:.2f}", b.mixed / b.total), "middle", 14);
  }
  svg.text(20, 81, "a block:", "start", 13);
  svg.text(20, 171, "so far:", "start", 13);
  svg.text(90, 236, "The scores of a block are forgotten before the next one comes.", "start", 12);
  return svg;
}

/// Queries downwards, keys to the right: the row of one query, in blocks of 4 keys.
inline Svg matrix_picture() {
  constexpr std::size_t T = 20, block = 4, query = 14, now = 8;
  constexpr double cell = 14, left = 60, top = 60;
  constexpr const char *forgotten = "#999999", *here = "#e69f00", *to_come = "#bfe0f5", *never = "#eeeeee";
  Svg svg(560, 380);
  svg.text(20, 28, "Of the matrix of weights, one block of one row exists at a time", "start", 15);
  for (std::size_t t = 0; t < T; t++) {
    for (std::size_t s = 0; s < T; s++) {
      const bool done = t < query || (t == query && s < now);
      const bool is_now = t == query && s >= now && s < now + block;
      svg.rect(left + cell * static_cast<double>(s), top + cell * static_cast<double>(t), cell - 2, cell - 2,
               s > t    ? never
               : is_now ? here
               : done   ? forgotten
                        : to_come);
    }
  }
  svg.text(left, top - 8, "key 0, 1, 2, ...", "start", 12);
  svg.text(left - 12, top + 10, "query 0, 1, 2, ...", "end", 12, -90);
  const char* legend[][2] = {
      {forgotten, "was here, is forgotten"}, {here, "in memory"}, {to_come, "not yet"}, {never, "never looked at"}};
  double y = 130;
  for (const auto& [colour, meaning] : legend) {
    svg.rect(370, y, 12, 12, colour);
    svg.text(390, y + 11, meaning, "start", 13);
    y += 26;
  }
  return svg;
}

}  // namespace microgpt
