// The picture of lesson 03: the graph of a small expression, and the gradients that run back through it.
#pragma once

#include "lesson/lesson.h"
#include "value.h"

namespace lesson03 {

/// A node's box, 120 wide and 70 high, whose upper left corner is (x, y).
struct Box {
  const Node* node;
  std::string name;
  double x, y;
};

/// From child i of a box to the box, between these heights: a grey arrow forward, and above it (side -1) or below it
/// (1) the share of the gradient that comes back.
inline void draw_edge(microgpt::Svg& svg, const Box& child, const Box& parent, std::size_t i, double y1, double y2,
                      double side) {
  constexpr const char* orange = "#d55e00";
  const double x1 = child.x + 120, x2 = parent.x, local = parent.node->local_grads[i];
  svg.arrow(x1, y1 - 5 * side, x2, y2 - 5 * side, "#888", 1.5);
  svg.arrow(x2, y2 + 5 * side, x1, y1 + 5 * side, orange, 2.5);
  const bool level = y1 == y2;
  const double x = (x1 + x2) / 2 - (level ? 40 : 0), above = level ? 14 : side < 0 ? 20 : -32;
  const std::string grad =
      parent.node->grad < 0 ? fmt::format("({:g})", parent.node->grad) : fmt::format("{:g}", parent.node->grad);
  svg.text(x, (y1 + y2) / 2 - above, fmt::format("{:g} · {} = {:g}", local, grad, local * parent.node->grad), "start",
           14, 0, orange);
}

/// The graph of L = u * v, v = u + 10, u = a * b, after L.backward().
inline microgpt::Svg graph_picture(const Value& a, const Value& b, const Value& u, const Value& v, const Value& L) {
  const Box of_a{a.node.get(), "a", 20, 80}, of_b{b.node.get(), "b", 20, 230},
      of_u{u.node.get(), "u = a · b", 270, 155}, of_10{v.node->children[1].get(), "a constant", 270, 320},
      of_v{v.node.get(), "v = u + 10", 520, 245}, of_L{L.node.get(), "L = u · v", 770, 155};
  microgpt::Svg svg(910, 440);
  svg.text(20, 28, "Gradients run back: each arrow multiplies, each box adds up", "start", 19);
  svg.text(20, 52, "u is used twice, so it gets two shares: 4 from L and -6 from v, together -2", "start", 15);
  draw_edge(svg, of_a, of_u, 0, 115, 178, -1);
  draw_edge(svg, of_b, of_u, 1, 265, 202, 1);
  draw_edge(svg, of_u, of_L, 0, 173, 173, -1);
  draw_edge(svg, of_u, of_v, 0, 210, 270, -1);
  draw_edge(svg, of_10, of_v, 1, 355, 295, 1);
  draw_edge(svg, of_v, of_L, 1, 280, 205, 1);
  for (const Box& box : {of_a, of_b, of_u, of_10, of_v, of_L}) {
    svg.rect(box.x, box.y, 120, 70, "black");
    svg.rect(box.x + 1, box.y + 1, 118, 68, "#eef4f9");
    svg.text(box.x + 60, box.y + 19, box.name, "middle", 14);
    svg.text(box.x + 60, box.y + 40, fmt::format("{:g}", box.node->data), "middle", 17);
    svg.text(box.x + 60, box.y + 60, fmt::format("gradient {:g}", box.node->grad), "middle", 14, 0, "#b04c00");
  }
  svg.arrow(20, 420, 55, 420, "#888", 1.5);
  svg.text(63, 424, "forward: from numbers to what is computed from them", "start", 13);
  svg.arrow(475, 420, 440, 420, "#d55e00", 2.5);
  svg.text(483, 424, "backward: slope of the step · gradient of its result = share", "start", 13);
  return svg;
}

}  // namespace lesson03
