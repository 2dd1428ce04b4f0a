// The pictures of lesson 07: the worked example, and the whole of a small GPT.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lesson/plane.h"

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

/// One position's way through the GPT, from a letter to the next, with the sizes of all lists.
inline Svg model_picture() {
  constexpr double middle = 130, high = 34;
  Svg svg(830, 280);
  svg.text(20, 26, "From a letter to the next: what is found is always added to what was known", "start", 16);
  auto box = [&](double x, double y, double wide, const std::string& name, const std::string& size, const char* fill) {
    svg.rect(x, y - high / 2, wide, high, "#333333");
    svg.rect(x + 1, y - high / 2 + 1, wide - 2, high - 2, fill);
    svg.text(x + wide / 2, y + 4, name, "middle", 12);
    svg.text(x + wide / 2, y + high / 2 + 14, size, "middle", 11);
  };
  const char *known = "#dbe9f6", *found = "#fde3c8", *plain = "#f7f7f7";
  svg.line(20, middle, 815, middle, "#0072b2", 3);
  box(20, middle, 60, "letter", "1 of 27", plain);
  box(100, middle, 100, "wte + wpe", "16 numbers", known);
  box(215, middle, 55, "norm", "16", known);
  for (const auto& [leaves, rejoins] : {std::pair(285.0, 450.0), {476.0, 655.0}}) {  // attention, then the MLP
    svg.line(leaves, middle, leaves, 205, "#d55e00", 1.5);
    svg.line(leaves, 205, rejoins, 205, "#d55e00", 1.5);
    svg.line(rejoins, 205, rejoins, middle, "#d55e00", 1.5);
    svg.rect(rejoins - 10, middle - 10, 20, 20, "#d55e00");
    svg.text(rejoins, middle + 6, "+", "middle", 18, 0, "white");
  }
  box(292, 205, 38, "norm", "16", found);
  box(334, 205, 62, "attention", "q, k, v: 16", found);
  box(400, 205, 40, "W_O", "16", found);
  box(486, 205, 40, "norm", "16", found);
  box(530, 205, 34, "fc1", "64", found);
  box(568, 205, 34, "relu", "64", found);
  box(606, 205, 36, "fc2", "16", found);
  box(680, middle, 62, "lm_head", "27 scores", known);
  box(752, middle, 62, "softmax", "27", plain);
  svg.text(360, 258, "attention: looks at all positions so far", "middle", 12, 0, "#b04c00");
  svg.text(585, 258, "MLP: works on this position", "middle", 12, 0, "#b04c00");
  svg.text(465, 80, "the residual stream", "middle", 12, 0, "#0072b2");
  return svg;
}

}  // namespace microgpt
