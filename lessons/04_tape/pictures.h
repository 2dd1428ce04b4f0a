// The picture of lesson 04: five nodes in a row on the tape, and what they point to.
#pragma once

#include "lesson/lesson.h"
#include "tape.h"

namespace lesson04 {

/// The tape after L.backward(): its nodes have these names. The first `kept` were made before the Scope.
inline microgpt::Svg tape_picture(const std::vector<std::string>& names, std::size_t kept) {
  constexpr const char *orange = "#d55e00", *blue = "#0072b2", *dark = "#b04c00";
  constexpr double top = 160;
  auto middle_of = [](std::size_t place) { return 75 + 130 * static_cast<double>(place); };
  microgpt::Svg svg(690, 320);
  svg.text(20, 28, "On the tape, children always stand before their parents", "start", 19);
  svg.text(20, 50, "so read it from its end: both arrows to u (orange) are walked before those from u", "start", 15);
  for (std::size_t place = 0; place < names.size(); place++) {
    const double x = middle_of(place);
    svg.rect(x - 55, top, 110, 64, "black");
    svg.rect(x - 54, top + 1, 108, 62, place < kept ? "#e3eef7" : "#f7f7f7");
    svg.text(x, top + 20, names[place], "middle", 14);
    svg.text(x, top + 38, fmt::format("{:g}", tape.nodes[place].data), "middle", 15);
    svg.text(x, top + 56, fmt::format("gradient {:g}", tape.nodes[place].grad), "middle", 13, 0, dark);
    svg.text(x, top + 84, fmt::format("{}.", names.size() - place), "middle", 15, 0, dark);
    for (const Edge& edge : tape.nodes[place].edges) {
      const auto child = static_cast<std::size_t>(edge.child - &tape.nodes[0]);
      const auto far = static_cast<double>(place - child);
      const double from = x - 55 + 20 * far, to = middle_of(child) + 55 - 20 * far, over = top - 30 * far;
      const char* colour = child == kept ? orange : blue;
      svg.polyline({{from, top}, {from, over}, {to, over}}, colour, 2);
      svg.arrow(to, over, to, top, colour, 2);
    }
  }
  svg.arrow(605, top + 98, 65, top + 98, dark, 2);
  svg.text(595, top + 115, "backward() goes this way", "end", 13, 0, dark);
  svg.line(270, top - 12, 270, top + 150, blue, 2);
  svg.text(262, top + 145, "parameters stay", "end", 13, 0, blue);
  svg.text(278, top + 145, "made in the Scope: free again when it ends, all at once", "start", 13, 0, blue);
  return svg;
}

}  // namespace lesson04
