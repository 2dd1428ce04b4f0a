// The pictures of lesson 06.
#pragma once

#include "draw/chart.h"
#include "lesson/lesson.h"
#include "lesson/puzzle_picture.h"

namespace microgpt {

using Point = std::pair<double, double>;

/// The embeddings of a, i and n, and what "ina" and "ain" are mixed to: evenly, then by halves.
inline Svg order_picture(const std::vector<Point>& mixed) {
  Svg svg(620, 350);
  svg.text(20, 26, "The average of \"ina\" is that of \"ain\". Weights that fall keep them apart", "start", 14);
  for (const bool fall : {false, true}) {
    const Plane plane{svg, fall ? 360.0 : 70.0, 300, 180};
    plane.axes(1, 1, fall ? "by halves: 1/7 2/7 4/7" : "even weights: 1/3 1/3 1/3");
    plane.square(1, 0, 8, "#555", "a");
    plane.square(0, 1, 8, "#555", "i");
    plane.square(1, 1, 8, "#555", "n");
    const Point ina = mixed[fall ? 2 : 0], ain = mixed[fall ? 3 : 1];
    plane.square(ina.first, ina.second, 14, "#0072b2", fall ? "ina" : "ina and ain", false);
    if (fall) plane.square(ain.first, ain.second, 14, "#d55e00", "ain");
  }
  return svg;
}

inline const std::vector<std::string> ways_drawn{"even", "by distance", "by what comes before"};

/// The mean of the last hundred losses, for these three ways to look back, and what counting gets.
inline Svg puzzle_picture(const std::vector<std::vector<double>>& losses) {
  std::vector<Series> lines;
  for (const std::size_t c : {1, 0, 2}) {  // in this order they have the colours of 06_weights.svg
    lines.push_back({ways_drawn[c], {}});
    const std::vector<double> means = running_mean(losses[c], 100);
    for (std::size_t i = 99; i < means.size(); i += 100) lines.back().points.emplace_back(i + 1, means[i]);
  }
  lines.push_back({"counting, or the last letter alone: log 8", {{0, std::log(8.0)}, {3000, std::log(8.0)}}});
  return chart("Second puzzle, ca*fdbe*f: only weights that know what comes before a letter solve it",
               {"step", {0, 1000, 2000, 3000}}, {"loss of the answer (nats)", {0, 0.5, 1, 1.5, 2, 2.5}}, lines, false);
}

}  // namespace microgpt
