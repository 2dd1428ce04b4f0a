// The picture of lesson 09.
#pragma once

#include "lesson/lesson.h"
#include "lesson/model_picture.h"

namespace microgpt {

using Walk = std::vector<std::pair<double, double>>;  // places (x, y)

/// Contour lines of the height x^2 / 2 + 50 y^2, and the paths of SGD and Adam. y is drawn twice as large as x.
inline Svg valley_picture(const Walk& sgd, const Walk& adam) {
  Svg svg(760, 370);
  auto draw = [&](const Walk& path, const std::string& colour) {
    Walk points;
    for (const auto& [x, y] : path) points.emplace_back(620 + 52 * x, 190 - 104 * y);
    svg.polyline(points, colour, 1.5);
    return points;
  };
  svg.text(20, 26, "In 40 steps SGD jumps across the valley and crawls along it; Adam walks along it", "start", 16);
  for (const double height : {0.5, 3.0, 12.0, 30.0, 60.0}) {
    Walk ellipse;
    for (double angle = 0; angle < 6.3; angle += 0.1) {
      ellipse.emplace_back(std::sqrt(2 * height) * std::cos(angle), std::sqrt(height / 50) * std::sin(angle));
    }
    draw(ellipse, "#bbb");
  }
  for (const auto& [x, y] : draw(sgd, "#0072b2")) svg.rect(x - 2.5, y - 2.5, 5, 5, "#0072b2");
  for (const auto& [x, y] : draw(adam, "#d55e00")) svg.rect(x - 2.5, y - 2.5, 5, 5, "#d55e00");
  svg.text(100, 74, "start: (-10, 1)", "middle");
  svg.text(632, 194, "lowest: (0, 0)");
  svg.text(20, 320, "SGD, learning rate 0.018: blue", "start", 13, 0, "#0072b2");
  svg.text(20, 340, "Adam, learning rate 0.3: orange", "start", 13, 0, "#b04c00");
  svg.text(20, 360, "Each square is a step. Grey: lines of equal height, x^2 / 2 + 50 y^2. y is drawn twice as large.");
  return svg;
}

}  // namespace microgpt
