// The picture of lesson 12: where eight numbers stand in memory, and which head they belong to.
#pragma once

#include <fmt/core.h>

#include <string>

#include "array.h"
#include "draw/svg.h"

namespace microgpt {

/// x (1,2,4) as it is, cut only, and cut and transposed. A number's first digit is its position; its second says
/// whether it belongs to head 0 (0, 1) or head 1 (2, 3).
inline Svg places_picture(const Array& x, const Array& only_cut, const Array& split) {
  constexpr double left = 30, cell = 62;
  constexpr const char* colours[] = {"#56b4e9", "#e69f00"};  // of head 0 and head 1
  Svg svg(600, 300);
  svg.text(left, 28, "Only with the transpose does each head get its own numbers", "start", 15);
  auto memory = [&](double y, const Array& a, const char* what) {
    svg.text(left, y - 8, what, "start", 13);
    for (std::size_t i = 0; i < 8; i++) {
      const double at = left + cell * static_cast<double>(i) + (i < 4 ? 0 : 24);  // a gap between the halves
      const int number = static_cast<int>(a.numbers[i]);
      svg.rect(at, y, cell - 3, 34, colours[number % 10 / 2]);
      svg.text(at + (cell - 3) / 2, y + 22, fmt::format("{:02}", number), "middle", 15);
    }
  };
  memory(70, x, "x (1,2,4), in memory: position 0, then position 1");
  memory(145, only_cut, "reshape only, (1,2,2,2): called head 0, then head 1; nothing has moved");
  memory(220, split, "reshape, then transpose, (1,2,2,2): head 0, then head 1");
  svg.text(left, 284, "blue: what belongs to head 0; orange: to head 1");
  return svg;
}

}  // namespace microgpt
