// The picture of lesson 12: where eight numbers stand in memory, and which head they belong to.
#pragma once

#include <fmt/core.h>

#include <string>

#include "array.h"
#include "inspect/svg.h"

namespace microgpt {

/// x (1,2,4) as it is, cut only, and cut and transposed. A number's first digit is its position; its second says
/// whether it belongs to head 0 (0, 1) or head 1 (2, 3).
inline Svg places_picture(const Array& x, const Array& only_cut, const Array& split) {
  constexpr double left = 30, cell = 62, height = 34;
  constexpr const char* colours[] = {"#56b4e9", "#e69f00"};  // of head 0 and head 1
  Svg svg(600, 350);
  svg.text(left, 28, "Only with the transpose does each head get its own numbers", "start", 15);
  auto memory = [&](double y, const Array& a, const char* what, const char* first, const char* second) {
    svg.text(left, y - 22, what, "start", 13);
    for (std::size_t i = 0; i < a.numbers.size(); i++) {
      const double at = left + cell * static_cast<double>(i);
      const int number = static_cast<int>(a.numbers[i]);
      svg.rect(at, y, cell - 3, height, colours[number % 10 / 2]);
      svg.text(at + (cell - 3) / 2, y + 22, fmt::format("{:02}", number), "middle", 15);
    }
    for (const double half : {0.0, 4.0}) {
      svg.text(left + cell * half, y - 6, half == 0 ? first : second, "start", 12);
      svg.line(left + cell * half, y + height + 4, left + cell * (half + 4) - 3, y + height + 4, "black", 2);
    }
  };
  memory(80, x, "x (1,2,4), in memory", "position 0", "position 1");
  memory(170, only_cut, "reshape only, (1,2,2,2): nothing has moved", "called head 0", "called head 1");
  memory(260, split, "reshape, then transpose, (1,2,2,2)", "head 0", "head 1");
  svg.rect(left, 322, 14, 14, colours[0]);
  svg.text(left + 20, 334, "belongs to head 0");
  svg.rect(left + 170, 322, 14, 14, colours[1]);
  svg.text(left + 190, 334, "belongs to head 1");
  return svg;
}

}  // namespace microgpt
