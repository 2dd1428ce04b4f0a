// The pictures of lesson 18.
#pragma once

#include <tuple>

#include "lesson/lesson.h"

namespace microgpt {

constexpr const char *orange = "#d55e00", *green = "#009e73", *yellow = "#e69f00", *blue = "#0072b2", *grey = "#555555";

/// n numbers in a row.
inline void squares(Svg& svg, double x, double y, int n, const std::string& colour) {
  for (int i = 0; i < n; i++) svg.rect(x + 17.0 * i, y, 15, 15, colour);
}

/// Scores for three positions, in both ways.
inline Svg fold_picture() {
  Svg svg(740, 270);
  svg.text(20, 26, "The matrix changes sides: one product with W instead of one for each position", "start", 14);
  auto matrix = [&](double x, double y, const char* name) {
    svg.line(x - 20, y + 8, x + 66, y + 8, "black", 1.5);
    svg.rect(x, y - 6, 46, 28, blue);
    svg.text(x + 23, y + 13, name, "middle", 13, 0, "white");
  };
  for (const double x : {20.0, 400.0}) {  // expanded, absorbed
    const bool absorbed = x > 20;
    svg.text(x, 58,
             absorbed ? "absorbed: q goes through W, and no key is made" : "expanded: a key is made from every c");
    squares(svg, x, 140, 2, orange);
    svg.text(x, 132, "q");
    if (absorbed) matrix(x + 56, 140, "W^T");
    if (absorbed) squares(svg, x + 124, 140, 2, orange);
    for (int s = 0; s < 3; s++) {
      const double y = 80 + 60.0 * s, c = x + (absorbed ? 250 : 226);
      svg.line(absorbed ? x + 160 : x + 36, 148, absorbed ? x + 246 : x + 96, y + 8, grey, 1.5);
      if (!absorbed) squares(svg, x + 100, y, 2, green);
      if (!absorbed) matrix(x + 158, y, "W");
      squares(svg, c, y, 2, yellow);
      svg.text(c + 40, y + 13, fmt::format("c{}", s));
    }
    svg.text(x, 256, absorbed ? "a grey line is a score: (W^T q) . c" : "a grey line is a score: q . (W c)");
  }
  return svg;
}

/// The way from x through the seven matrices. What is kept is yellow.
inline Svg way_picture() {
  Svg svg(800, 290);
  const char *plain = "#f7f7f7", *kept = "#ffd166";
  svg.text(20, 26, "Seven matrices: of each letter, only c and the rotary key are kept", "start", 14);
  auto box = [&](double x, double y, double wide, const char* name, const char* fill, double high = 30) {
    svg.rect(x, y - high / 2, wide, high, "#333333");
    svg.rect(x + 1, y - high / 2 + 1, wide - 2, high - 2, fill);
    svg.text(x + wide / 2, y + 4, name, "middle", 12, 0, "black");
  };
  auto way = [&](double x, double y, double end, const char* matrix) {
    svg.arrow(x, y, end, y, grey);
    svg.text((x + end) / 2 - 4, y - 6, matrix, "middle", 11);
  };
  auto fork = [&](double x, double y, double top, double bottom) {  // one way becomes several
    svg.line(x - 24, y, x, y, grey, 1.5);
    svg.line(x, top, x, bottom, grey, 1.5);
  };
  fork(90, 160, 70, 230);
  box(16, 160, 50, "x: 16", plain);
  for (const auto& [y, matrix, name, fill] : {std::tuple{70.0, "w.q: 16 by 16", "queries: 16", plain},
                                              {120.0, "w.qr: 8 by 16", "rotated pairs: 8", plain},
                                              {170.0, "w.kr: 2 by 16", "rotary key: 2", kept},
                                              {230.0, "w.dkv: 5 by 16", "c: 5", kept}}) {
    way(90, y, 190, matrix);
    box(190, y, 120, name, fill);
    if (y < 230) way(310, y, 570, "");
  }
  fork(334, 230, 210, 250);
  for (const auto& [y, matrix, name] :
       {std::tuple{210.0, "w.uk: 16 by 5", "keys: 16"}, {250.0, "w.uv: 16 by 5", "values: 16"}}) {
    way(334, y, 434, matrix);
    box(434, y, 100, name, plain);
    way(534, y, 570, "");
  }
  box(570, 160, 60, "4 heads", plain, 210);
  way(630, 160, 730, "w.o: 16 by 16");
  box(730, 160, 54, "out: 16", plain);
  svg.text(190, 283, "yellow: kept");
  svg.text(434, 283, "made only in the expanded form");
  return svg;
}

}  // namespace microgpt
