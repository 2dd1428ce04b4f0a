// A plane in a drawing, for lists of two numbers: the first to the right, the second upwards.
#pragma once

#include <cmath>
#include <string>

#include "draw/svg.h"

namespace microgpt {

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
