// The picture of lesson 23: where the keys of a narrow head stand.
#pragma once

#include <array>

#include "lesson/lesson.h"

namespace microgpt {

/// A head's queries and keys while a word of six letters is copied, one of each for every position. A head of one
/// number has 0 as its second.
struct Vectors {
  std::vector<std::array<double, 2>> queries, keys;
  std::array<double, 6> weights{};  // what each of the six places gets from the query that needs it
};

/// Left: the keys of a head of one number, on a line. Right: keys and queries of a head of two.
inline Svg draw_keys(const Vectors& one, const Vectors& two) {
  constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#b07aa1", "#8a6d00", "#555555"};
  constexpr double middle = 190, unit = 26, left = 90, right = 460, dot = 9;
  auto up = [](double y) { return middle - unit * std::round(10 * y) / 10; };
  auto along = [](double x) { return right + unit * std::round(10 * x) / 10; };
  Svg svg(640, 380);
  svg.text(20, 26, "One number singles out the two ends. Two numbers make room for six keys", "start", 15);
  svg.line(left, up(5), left, up(-5), "#bbbbbb");
  svg.text(20, 350, "one number: the keys of a word");
  svg.line(along(-5), middle, along(5), middle, "#bbbbbb");
  svg.line(right, up(5), right, up(-5), "#bbbbbb");
  svg.text(right, 350, "two numbers: keys as squares, queries as arrows", "middle");
  svg.text(right, 368, "grey: keys of other positions", "middle");
  for (const auto& [x, y] : two.keys) svg.rect(along(x) - 2, up(y) - 2, 4, 4, "#999999");
  for (std::size_t i = 0; i < 6; i++) {
    const double y = up(one.keys[i + 1][0]);
    svg.rect(left - dot / 2, y - dot / 2, dot, dot, colours[i]);
    svg.text(left + 14, y + 4, fmt::format("place {} gets {:.0f}%", i + 1, 100 * one.weights[i]), "start", 12, 0,
             colours[i]);
    const auto& [kx, ky] = two.keys[i + 1];
    const auto& [qx, qy] = two.queries[i + 7];
    svg.arrow(right, middle, along(qx), up(qy), colours[i]);
    svg.rect(along(kx) - dot / 2, up(ky) - dot / 2, dot, dot, colours[i]);
    svg.text(along(kx) + (kx < 0 ? -9 : 9), up(ky) + 4, fmt::format("{}: {:.0f}%", i + 1, 100 * two.weights[i]),
             kx < 0 ? "end" : "start", 12, 0, colours[i]);
  }
  return svg;
}

}  // namespace microgpt
