// Pictures of lessons 06 to 08: how puzzles were solved, and lists of two numbers in a plane.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace microgpt {

inline constexpr std::array puzzle_colours{"#d55e00", "#0072b2", "#00795a"};

/// Several lists of weights, each as bars above the signs of a puzzle.
inline Svg bars_picture(const std::string& title, const std::string& signs, const std::vector<std::string>& names,
                        const std::vector<std::vector<double>>& weights) {
  constexpr double left = 150, column = 48, height = 70, row = 110;
  Svg svg(left + column * static_cast<double>(signs.size()) + 30, 60 + row * static_cast<double>(names.size()));
  svg.text(20, 26, title, "start", 14);
  for (std::size_t r = 0; r < names.size(); r++) {
    const double zero = 50 + height + row * static_cast<double>(r);
    svg.text(left - 16, zero - 25, names[r], "end", 13, 0, puzzle_colours[r % 3]);
    svg.line(left, zero, left + column * static_cast<double>(signs.size()), zero, "#555");
    for (std::size_t i = 0; i < signs.size(); i++) {
      const double x = left + column * (static_cast<double>(i) + 0.5), tall = height * weights[r][i];
      svg.rect(x - 16, zero - tall, 32, tall, puzzle_colours[r % 3]);
      svg.text(x, zero - tall - 4, fmt::format("{:.2f}", weights[r][i]), "middle", 10);
      svg.text(x, zero + 16, std::string(1, signs[i]), "middle", 14);
    }
  }
  return svg;
}

/// A plane in a drawing: the first number to the right, the second upwards.
struct Plane {
  Svg& svg;
  double left, bottom;  // where (0, 0) is
  double unit;          // pixels

  /// The axes, with whole numbers up to these; those beside the upward axis stand `gap` to its left.
  void axes(int across, int up, const std::string& title, double gap = 8) const {
    const double end = left + unit * across + 15, top = bottom - unit * up - 15;
    for (int t = 0; t <= across; t++) svg.text(left + unit * t, bottom + 18, std::to_string(t), "middle", 11);
    for (int t = 1; t <= up; t++) svg.text(left - gap, bottom - unit * t + 4, std::to_string(t), "end", 11);
    svg.line(left, bottom, end, bottom, "#999");
    svg.line(left, bottom, left, top, "#999");
    svg.text(end, bottom + 36, "first number", "end", 11);
    svg.text(left, top - 6, "second number", "middle", 11);
    svg.text(left, top - 28, title, "start", 13);
  }

  /// An arrow from (0, 0). Its label stands to its right, or to its left if it points upwards.
  void arrow(double x, double y, const std::string& colour, const std::string& label) const {
    const double tip_x = left + unit * x, tip_y = bottom - unit * y, length = std::sqrt(x * x + y * y);
    const double dx = 9 * x / length, dy = -9 * y / length;  // along the arrow
    svg.line(left, bottom, tip_x, tip_y, colour, 2.5);
    svg.line(tip_x, tip_y, tip_x - dx - dy / 2, tip_y - dy + dx / 2, colour, 2.5);
    svg.line(tip_x, tip_y, tip_x - dx + dy / 2, tip_y - dy - dx / 2, colour, 2.5);
    svg.text(x > 0 ? tip_x + 8 : tip_x - 22, tip_y - 4, label, x > 0 ? "start" : "end", 12, 0, colour);
  }

  /// A square in the place of a point. Its label stands above or below it, and at its right on the axis.
  void square(double x, double y, double size, const std::string& colour, const std::string& label,
              bool above = true) const {
    const double px = left + unit * x, py = bottom - unit * y;
    svg.rect(px - size / 2, py - size / 2, size, size, colour);
    if (x == 0) {
      svg.text(px + size / 2 + 5, py + 5, label, "start", 13, 0, colour);
    } else {
      svg.text(px, above ? py - size / 2 - 6 : py + size / 2 + 16, label, "middle", 13, 0, colour);
    }
  }
};

}  // namespace microgpt
