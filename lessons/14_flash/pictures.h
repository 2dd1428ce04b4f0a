// The pictures of lesson 14: what is carried from tile to tile, and how little of the matrix exists at a time.
#pragma once

#include "lesson/lesson.h"

namespace microgpt {

/// What is known after a tile of keys, and what the tile did to all that was known before.
struct Snapshot {
  std::string scores;
  double most, shrink, total, mixed;
};

inline Svg running_picture(const std::vector<Snapshot>& tiles) {
  Svg svg(660, 250);
  svg.text(20, 28, "Two sums walk along the tiles, and shrink when a larger score comes", "start", 15);
  for (std::size_t i = 0; i < tiles.size(); i++) {
    const Snapshot& b = tiles[i];
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
    const bool last = i + 1 == tiles.size();
    svg.text(x + 195, 156, last ? "mixed / total" : fmt::format("sums times {:.2f}", tiles[i + 1].shrink), "middle",
             13);
    if (last) svg.text(x + 195, 186, fmt::format("= {:.2f}", b.mixed / b.total), "middle", 14);
  }
  svg.text(20, 81, "a tile:", "start", 13);
  svg.text(20, 171, "so far:", "start", 13);
  svg.text(90, 236, "The scores of a tile are forgotten before the next one comes.", "start", 12);
  return svg;
}

/// Queries downwards, keys to the right, in tiles of 4 queries and 6 keys: what is near, and what of the matrix exists.
inline Svg matrix_picture() {
  constexpr std::size_t T = 24, queries = 4, keys = 6, query = 16, key = 6;  // the tile that is computed now
  constexpr double cell = 12, left = 104, top = 104;
  constexpr const char *memory = "#0072b2", *forgotten = "#999999", *here = "#e69f00", *to_come = "#bfe0f5",
                       *never = "#eeeeee";
  auto at = [](std::size_t i) { return cell * static_cast<double>(i); };
  Svg svg(640, 420);
  svg.text(20, 26, "A tile of queries stays; keys and values go by; of the matrix one tile exists", "start", 15);
  for (std::size_t t = 0; t < T; t++) {
    const bool is_here = t >= query && t < query + queries;
    svg.rect(left - 58, top + at(t), 26, cell - 2, is_here ? here : memory);
    svg.rect(left + at(T) + 12, top + at(t), 26, cell - 2, is_here ? here : t < query ? memory : to_come);
    const bool is_read = t >= key && t < key + keys;
    svg.rect(left + at(t), top - 52, cell - 2, 16, is_read ? here : memory);
    svg.rect(left + at(t), top - 32, cell - 2, 16, is_read ? here : memory);
    for (std::size_t s = 0; s < T; s++) {
      const bool past = t < query || (is_here && s < key);
      const char* colour = s > t ? never : is_here && s >= key && s < key + keys ? here : past ? forgotten : to_come;
      svg.rect(left + at(s), top + at(t), cell - 2, cell - 2, colour);
    }
  }
  svg.text(left - 45, top - 8, "q", "middle", 13);
  svg.text(left + at(T) + 25, top - 8, "out", "middle", 13);
  svg.text(left - 8, top - 40, "k", "end", 13);
  svg.text(left - 8, top - 20, "v", "end", 13);
  svg.text(left - 14, top + at(T) / 2, "24 queries", "middle", 12, -90);
  svg.text(left + at(T) / 2, top + at(T) + 18, "weights of 24 keys", "middle", 12);
  const char* legend[][2] = {{here, "near: 4 queries, 6 keys"},
                             {memory, "in memory"},
                             {forgotten, "computed, used, forgotten"},
                             {to_come, "not yet computed"},
                             {never, "never computed"}};
  double y = top + 24;
  for (const auto& [colour, meaning] : legend) {
    svg.rect(456, y, 12, 12, colour);
    svg.text(476, y + 11, meaning, "start", 13);
    y += 26;
  }
  return svg;
}

}  // namespace microgpt
