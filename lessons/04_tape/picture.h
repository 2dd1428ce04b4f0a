// The picture of lesson 04: five nodes in a row on the tape, and what they point to.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "inspect/svg.h"
#include "tape.h"

namespace lesson04 {

constexpr double cell_width = 110, cell_top = 190;

inline double middle_of(std::size_t place) { return 75 + (cell_width + 10) * static_cast<double>(place); }

/// An arc over the row, from a node to one of its children.
inline void draw_arc(microgpt::Svg& svg, std::size_t from, std::size_t to, const std::string& colour) {
  const double x1 = middle_of(from) - 20, x2 = middle_of(to) + 20, height = 0.28 * (x1 - x2) + 20;
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i <= 24; i++) {
    const double s = i / 24.0;
    points.emplace_back(x1 + (x2 - x1) * s, cell_top - 4 * height * s * (1 - s));
  }
  svg.polyline(points, colour, 2);
  svg.arrow(points[22].first, points[22].second, x2, cell_top, colour, 2);
}

/// The tape after L.backward(). The first `kept` nodes were made before the Scope.
inline microgpt::Svg tape_picture(const std::vector<std::string>& names, std::size_t kept) {
  constexpr const char *orange = "#d55e00", *blue = "#0072b2";
  microgpt::Svg svg(870, 360);
  svg.text(20, 28, "On the tape, children always stand before their parents", "start", 19);
  svg.text(20, 52, "so read it from its end: both ways from L back to u (orange) are walked before u hands on", "start",
           15);
  for (std::size_t place = 0; place < 7; place++) {
    const double x = middle_of(place) - cell_width / 2;
    const bool used = place < names.size();
    svg.rect(x, cell_top, cell_width, 64, used ? "black" : "#bbb");
    svg.rect(x + 1, cell_top + 1, cell_width - 2, 62, used ? (place < kept ? "#e3eef7" : "#f7f7f7") : "white");
    svg.text(middle_of(place), cell_top + 20, used ? names[place] : "free", "middle", 14, 0, used ? "black" : "#777");
    if (!used) continue;
    svg.text(middle_of(place), cell_top + 38, fmt::format("{:g}", tape.nodes[place].data), "middle", 15);
    svg.text(middle_of(place), cell_top + 56, fmt::format("gradient {:g}", tape.nodes[place].grad), "middle", 13, 0,
             "#b04c00");
    svg.text(middle_of(place), cell_top + 86, fmt::format("{}.", names.size() - place), "middle", 15, 0, "#b04c00");
    for (const Edge& edge : tape.nodes[place].edges) {
      const auto child = static_cast<std::size_t>(edge.child - &tape.nodes[0]);
      draw_arc(svg, place, child, child < kept ? blue : orange);
    }
  }
  svg.arrow(middle_of(names.size() - 1) + 40, cell_top + 100, middle_of(0) - 40, cell_top + 100, "#b04c00", 2);
  svg.text(middle_of(names.size()) - 50, cell_top - 40, "arrows lead to children");
  svg.text(middle_of(names.size()) - 50, cell_top + 104, "backward(), in this order", "start", 13, 0, "#b04c00");
  const double mark = (middle_of(kept - 1) + middle_of(kept)) / 2;
  svg.line(mark, cell_top - 12, mark, cell_top + 150, blue, 2);
  svg.text(mark - 8, cell_top + 145, "parameters stay", "end", 13, 0, blue);
  svg.text(mark + 8, cell_top + 145, "made in the Scope: free again when it ends, all at once", "start", 13, 0, blue);
  return svg;
}

}  // namespace lesson04
