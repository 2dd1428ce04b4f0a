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

/// The mean of the last hundred losses at each step, for these three ways to look back, and what counting gets.
inline Svg puzzle_picture(const std::vector<std::vector<double>>& losses) {
  constexpr double left = 60, right = 600, top = 50, bottom = 320, unit = 110;
  const double counting = bottom - unit * std::log(8.0);
  Svg svg(640, 370);
  svg.text(20, 26, "Second puzzle, ca*fdbe*f: only weights that know what comes before a letter solve it", "start", 14);
  for (const int tick : {0, 1, 2}) {
    svg.line(left, bottom - unit * tick, right, bottom - unit * tick, "#ddd");
    svg.text(left - 8, bottom - unit * tick + 4, std::to_string(tick), "end");
  }
  svg.text(18, (top + bottom) / 2, "loss of the answer (nats)", "middle", 12, -90);
  svg.text(left + 45, bottom - unit * std::log(10.0) - 4, "starts at log 10: ten signs, all alike", "start", 12, 0,
           "#555");
  svg.text(left, bottom + 20, "step 1");
  svg.text(right, bottom + 20, fmt::format("step {}", losses[0].size()), "end");
  svg.line(left, counting, right, counting, "black", 1.5);
  svg.text(right, counting - 6, "counting, or the last letter alone: a guess among 8 letters", "end");
  const double label_y[] = {bottom - unit * 1.55 - 22, bottom - unit * 1.55 + 32, bottom - 8};
  for (std::size_t c = 0; c < losses.size(); c++) {
    const std::vector<double> means = running_mean(losses[c], 100);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 99; i < means.size(); i += 20) {
      const double x = left + (right - left) * static_cast<double>(i + 1) / static_cast<double>(means.size());
      points.emplace_back(x, bottom - unit * means[i]);
    }
    svg.polyline(points, puzzle_colours[c], 2.5);
    svg.text(right, label_y[c], ways_drawn[c], "end", 13, 0, puzzle_colours[c]);
  }
  svg.line(420, bottom - 4, 420, bottom - unit * 1.52, "#555", 1);
  svg.text(410, bottom - unit * 0.8, "knowing where to look saves 1.5 nats", "end", 12, 0, "#555");
  return svg;
}

}  // namespace microgpt
