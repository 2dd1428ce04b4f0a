// The pictures of lesson 17: two arrows that are rotated, and what fast and slow pairs tell apart.
#pragma once

#include "lesson/lesson.h"

namespace microgpt {

/// An arrow from (x, y), `degrees` counter-clockwise from the right.
inline void arrow(Svg& svg, double x, double y, double degrees, const std::string& colour, const std::string& label) {
  auto point = [&](double length, double angle) {
    const double radians = angle * 3.14159265358979323846 / 180;
    return std::pair(x + length * std::cos(radians), y - length * std::sin(radians));
  };
  const auto tip = point(78, degrees), left = point(66, degrees + 6), right = point(66, degrees - 6);
  svg.line(x, y, tip.first, tip.second, colour, 3);
  svg.polyline({left, tip, right}, colour, 3);
  const auto text = point(94, degrees);
  svg.text(text.first, text.second + 5, label, "middle", 13, 0, colour);
}

/// Query and key, both (1, 0), at three pairs of positions, with 30 degrees a position.
inline Svg arrows_picture() {
  constexpr const char *query = "#0072b2", *key = "#d55e00";
  Svg svg(660, 310);
  svg.text(20, 26, "Three positions later both arrows have moved; the angle between them has not", "start", 15);
  double x = 70;
  for (const auto& [t, s] : {std::pair(1, 0), {4, 3}, {4, 1}}) {
    std::vector<std::pair<double, double>> circle;
    for (int degrees = 0; degrees <= 360; degrees += 6) {
      const double radians = degrees * 3.14159265358979323846 / 180;
      circle.emplace_back(x + 40 + 78 * std::cos(radians), 178 - 78 * std::sin(radians));
    }
    svg.polyline(circle, "#d0d0d0", 1);
    arrow(svg, x + 40, 178, 30.0 * s, key, fmt::format("k{}", s));
    arrow(svg, x + 40, 178, 30.0 * t, query, fmt::format("q{}", t));
    svg.text(x + 40, 60, fmt::format("query at {}, key at {}", t, s), "middle", 13);
    svg.text(x + 40, 290, fmt::format("angle {}, score {}", 30 * (t - s), t - s == 1 ? "0.866" : "0.000"), "middle",
             13);
    x += 215;
  }
  return svg;
}

/// The score of a pair of equal arrows, by the distance of their positions.
inline Svg speeds_picture() {
  constexpr double left = 70, middle = 160, width = 500, height = 90, most = 60;
  Svg svg(640, 344);
  svg.text(20, 26, "A fast pair tells neighbours apart, a slow pair tells near from far", "start", 15);
  for (const double score : {-1.0, 0.0, 1.0}) {
    svg.line(left, middle - height * score, left + width, middle - height * score, "#d0d0d0");
    svg.text(left - 8, middle - height * score + 4, fmt::format("{:.0f}", score), "end");
  }
  for (int distance = 0; distance <= 60; distance += 10) {
    svg.text(left + width * distance / most, middle + height + 22, fmt::format("{}", distance), "middle");
  }
  double y = 312;
  double legend = left;
  for (const auto& [speed, colour] : {std::pair(1.0, "#d55e00"), {0.1, "#0072b2"}, {0.01, "#009e73"}}) {
    std::vector<std::pair<double, double>> points;
    for (double distance = 0; distance <= most; distance += speed == 1.0 ? 0.25 : 1.0) {
      points.emplace_back(left + width * distance / most, middle - height * std::cos(distance * speed));
    }
    svg.polyline(points, colour, 2);
    svg.line(legend, y + 14, legend + 24, y + 14, colour, 3);
    svg.text(legend + 30, y + 18, fmt::format("{} a position", speed), "start", 12);
    legend += 175;
  }
  svg.text(left + width / 2, middle + height + 42, "distance of query and key, in positions; speeds in radians",
           "middle", 13);
  svg.text(24, middle, "score", "middle", 13, -90);
  return svg;
}

}  // namespace microgpt
