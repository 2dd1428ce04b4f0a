// A drawing of lesson 08.
#pragma once

#include <array>

#include "lesson/lesson.h"

namespace microgpt {

/// Where each head's slice goes, from x to what attention adds to it. Four heads, a colour each: rows of W_Q, W_K and
/// W_V, slices of q, k and v, a head, a slice of x_attn, columns of W_O.
inline Svg flow_picture() {
  constexpr std::array<const char*, 4> colour{"#0072b2", "#e69f00", "#009e73", "#cc79a7"};
  constexpr double band = 20, side = 4 * band, strip = 16, top = 170;  // pixels
  Svg svg(790, 390);
  svg.text(20, 26, "A head has its own slice everywhere; only W_O mixes them", "start", 16);
  auto list = [&](double x, double y, double height, const char* fill) { svg.rect(x, y, strip, height - 1, fill); };
  auto name = [&](double x, double y, const std::string& text) { svg.text(x, y, text, "middle", 13); };
  for (std::size_t i = 0; i < 3; i++) {  // q, k, v
    const double y = top - 100 + 100 * static_cast<double>(i);
    svg.line(46, top + side / 2, 96, y + side / 2, "#999999", 1.5);
    name(140, y - 6, fmt::format("W_{}: 16 rows", "QKV"[i]));
    name(218, y - 6, std::string(1, "qkv"[i]));
    for (std::size_t h = 0; h < 4; h++) {
      const double slice = y + band * static_cast<double>(h);
      svg.rect(100, slice, side, band - 1, colour[h]);
      list(210, slice, band, colour[h]);
      svg.line(228, slice + band / 2, 340, 92 + 78 * static_cast<double>(h), colour[h], 1.5);
    }
  }
  for (std::size_t h = 0; h < 4; h++) {
    const double y = 70 + 78 * static_cast<double>(h), slice = band * static_cast<double>(h);
    svg.rect(340, y, 128, 46, colour[h]);
    svg.rect(343, y + 3, 122, 40, "white");
    name(404, y + 20, fmt::format("head {}", h));
    svg.text(404, y + 36, "its own softmax", "middle", 11);
    svg.line(470, y + 23, 528, top + slice + band / 2, colour[h], 1.5);
    list(530, top + slice, band, colour[h]);
    svg.rect(592 + slice, top, band - 1, side - 1, colour[h]);
  }
  svg.line(550, top + side / 2, 588, top + side / 2, "#999999", 1.5);
  svg.line(676, top + side / 2, 718, top + side / 2, "#999999", 1.5);
  list(30, top, side, "#999999");
  list(722, top, side, "#999999");
  name(38, top - 8, "x");
  name(538, top + side + 16, "x_attn");
  name(632, top - 8, "W_O: 16 columns");
  name(738, top - 8, "added to x");
  svg.text(20, 378, "A coloured band is 4 of 16: head h has numbers 4h to 4h + 3 of q, k, v and x_attn.");
  return svg;
}

}  // namespace microgpt
