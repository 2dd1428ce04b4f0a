// The picture of lesson 12: where 24 numbers stand in memory, and which head they belong to.
#pragma once

#include <fmt/core.h>

#include <string>

#include "array.h"
#include "draw/svg.h"

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

}  // namespace microgpt
