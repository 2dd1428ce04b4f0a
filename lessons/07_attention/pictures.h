// The pictures of lesson 07.
#pragma once

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/puzzle_picture.h"

namespace microgpt {

/// A query and three keys as arrows, then the three values and what they are mixed to.
inline Svg example_picture(const std::vector<double>& weights, const std::vector<double>& mixture) {
  Svg svg(760, 380);
  svg.text(20, 26, "The third key agrees most with the query, so the mixture is nearest to the third value", "start",
           14);
  const Plane keys{svg, 120, 330, 105};
  keys.axes(2, 2, "query and keys, as arrows");
  keys.arrow(1, 0, "#555", "key 1: score 1");
  keys.arrow(0, 1, "#555", "key 2: score 2");
  keys.arrow(1, 1, "#555", "key 3: score 3");
  keys.arrow(1, 2, "#0072b2", "query");
  const Plane plane{svg, 430, 330, 70};
  plane.axes(4, 3, "values, as large as their weights", 18);
  const double values[3][2] = {{4, 0}, {0, 2}, {2, 2}};
  for (int t = 0; t < 3; t++) {
    const std::string label = fmt::format("{}: {:.2f}", t + 1, weights[t]);
    plane.square(values[t][0], values[t][1], 45 * std::sqrt(weights[t]), "#555", label);
  }
  plane.square(mixture[0], mixture[1], 10, "#d55e00", "mixture", false);
  return svg;
}

/// Where the positions of a name look, early and late in training.
inline Svg maps_picture(const Grid& early, const Grid& late) {
  Svg maps = heat_maps({{"1000 steps: even", early}, {"10000 steps: it picks", late}});
  maps.text(10, 234, "Each row looks at the letters in the columns. Half dark: an even share. Darkest: twice that",
            "start", 9);
  return maps;
}

}  // namespace microgpt
