// The pictures of lesson 12: where 24 numbers stand in memory, and which keys a mask shows.
#pragma once

#include "array.h"
#include "lesson/lesson.h"

namespace microgpt {

/// x (1,4,6) as it is, cut only, and cut and transposed. A number's first digit is its position; its second says
/// whether it belongs to head 0 (0, 1, 2) or head 1 (3, 4, 5).
inline Svg places_picture(const NdArray& x, const NdArray& only_cut, const NdArray& split) {
  constexpr double left = 30, cell = 27;
  constexpr const char* colours[] = {"#56b4e9", "#e69f00"};  // of head 0 and head 1
  Svg svg(720, 300);
  svg.text(left, 28, "Only with the transpose does each head get its own numbers", "start", 15);
  auto memory = [&](double y, const NdArray& a, std::size_t gap, const char* what) {
    svg.text(left, y - 8, what, "start", 13);
    for (std::size_t i = 0; i < 24; i++) {
      const double at = left + cell * static_cast<double>(i) + 4 * static_cast<double>(i / gap);
      const int number = static_cast<int>(a.numbers[i]);
      svg.rect(at, y, cell - 2, 34, colours[number % 10 / 3]);
      svg.text(at + (cell - 2) / 2, y + 22, fmt::format("{:02}", number), "middle", 12);
    }
  };
  memory(70, x, 6, "x (1,4,6), in memory: four positions of six numbers");
  memory(145, only_cut, 12, "reshape only, (1,2,4,3): called head 0, then head 1; nothing has moved");
  memory(220, split, 12, "reshape, then transpose, (1,2,4,3): head 0, then head 1");
  svg.text(left, 284, "blue: what belongs to head 0; orange: to head 1");
  return svg;
}

/// A mask under its name, from its upper left corner on. It is blue where `shows` is written.
inline void draw_mask(Svg& svg, std::pair<double, double> corner, const std::string& name, const std::string& row,
                      const NdArray& mask, int shows = 1) {
  constexpr double cell = 26;
  const auto [left, top] = corner;
  const std::size_t columns = mask.shape.back();
  svg.text(left, top - 24, name, "start", 13);
  for (std::size_t i = 0; i < mask.numbers.size(); i++) {
    const double x = left + cell * static_cast<double>(i % columns), y = top + cell * static_cast<double>(i / columns);
    const int number = static_cast<int>(mask.numbers[i]);
    if (i < columns) svg.text(x + cell / 2, top - 7, fmt::format("k{}", i), "middle", 11);
    if (i % columns == 0) svg.text(left - 6, y + 17, fmt::format("{}{}", row, i / columns), "end", 11);
    svg.rect(x, y, cell - 2, cell - 2, number == shows ? "#56b4e9" : "#e6e6e6");
    svg.text(x + cell / 2 - 1, y + 17, fmt::format("{}", number), "middle", 13);
  }
}

/// causal and hidden are the same mask (3,3) in both conventions. real_keys (4,3) has a row for each document.
inline Svg masks_picture(const NdArray& causal, const NdArray& hidden, const NdArray& real_keys) {
  Svg svg(720, 370);
  svg.text(30, 28, "A causal mask is one square for all documents; padding needs a square for each", "start", 15);
  svg.text(30, 50, "blue: query q looks at key k; grey: it does not");
  draw_mask(svg, {90, 100}, "causal (3,3), 1 = may see", "q", causal);
  draw_mask(svg, {380, 100}, "the same mask (3,3), 1 = hidden", "q", hidden, 0);
  draw_mask(svg, {90, 252}, "real keys (4,3)", "document ", real_keys);
  svg.arrow(180, 290, 222, 290, "black");
  svg.text(264, 208, "as (4,1,1,3): each row is repeated for all queries of its document", "start", 13);
  for (std::size_t i = 0; i < 4; i++) {
    NdArray square{{3, 3}, {}};
    for (std::size_t j = 0; j < 9; j++) square.numbers.push_back(real_keys.at({i, j % 3}));
    draw_mask(svg, {264 + 116 * static_cast<double>(i), 252}, fmt::format("document {}", i), "q", square);
  }
  return svg;
}

}  // namespace microgpt
