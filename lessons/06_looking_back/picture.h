// The first picture of lesson 06. (The others are drawn by src/lesson/puzzle_picture.h.)
#pragma once

#include <utility>
#include <vector>

#include "lesson/plane.h"

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

}  // namespace microgpt
