// The picture of lesson 09: two walks through a valley, seen from above.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "inspect/svg.h"

namespace microgpt {

using Path = std::vector<std::pair<double, double>>;  // places (x, y)

/// Contour lines of the height x^2 / 2 + 50 y^2, and the paths of SGD and Adam. y is drawn twice as large as x.
inline Svg valley_picture(const Path& sgd, const Path& adam) {
  constexpr double unit_x = 52, unit_y = 2 * unit_x, x0 = 620, y0 = 190;  // pixels
  auto place = [](double x, double y) { return std::pair(x0 + unit_x * x, y0 - unit_y * y); };
  Svg svg(760, 370);
  svg.text(20, 26, "In the same 40 steps SGD jumps across the valley and crawls along it; Adam walks along it", "start",
           16);
  for (const double height : {0.5, 3.0, 12.0, 30.0, 60.0}) {
    Path ellipse;
    for (int i = 0; i <= 120; i++) {
      const double angle = 6.2831853 * i / 120;
      const double x = std::sqrt(2 * height) * std::cos(angle), y = std::sqrt(height / 50) * std::sin(angle);
      if (x < 2.4) ellipse.push_back(place(x, y));
    }
    svg.polyline(ellipse, "#bbbbbb", 1);
  }
  auto draw = [&](const Path& path, const char* colour, const std::string& name, double label_y) {
    Path points;
    for (const auto& [x, y] : path) points.push_back(place(x, y));
    svg.polyline(points, colour, 1.5);
    for (const auto& [x, y] : points) svg.rect(x - 2.5, y - 2.5, 5, 5, colour);
    svg.rect(20, label_y - 10, 12, 12, colour);
    svg.text(38, label_y, name);
  };
  draw(sgd, "#0072b2", "SGD, learning rate 0.018", 318);
  draw(adam, "#d55e00", "Adam, learning rate 0.3", 338);
  const auto [x, y] = place(-10, 1);
  svg.text(x, y - 12, "start: (-10, 1)", "middle");
  svg.text(x0 + 8, y0 + 4, "lowest: (0, 0)");
  svg.text(
      20, 360,
      "Each square is a step. Grey: lines of equal height. The height is x^2 / 2 + 50 y^2; y is drawn twice as large.");
  return svg;
}

}  // namespace microgpt
