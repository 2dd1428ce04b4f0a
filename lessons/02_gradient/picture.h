// The picture of lesson 02: what the model believed of each letter, and where training pushes the letter's score.
#pragma once

#include <fmt/core.h>

#include <string>

#include "forward.h"
#include "inspect/svg.h"

namespace microgpt {

/// Two bars for each of the letters a, b and c: its probability, and minus the slope of its score.
inline Svg slopes_picture(const Numbers& probs, const Numbers& slopes) {
  constexpr double zero = 165, unit = 110, bar = 44, left = 70;  // pixels: the axis, a whole, a bar's width
  constexpr const char* belief = "#0072b2";
  constexpr const char* push = "#d55e00";
  Svg svg(520, 310);
  svg.text(20, 26, "Each wrong letter is pushed down by what the model believed of it,", "start", 14);
  svg.text(20, 44, "and the letter that came is pulled up by what was missing", "start", 14);
  auto column = [&](double x, double value, const char* colour) {
    const double height = value * unit;
    svg.rect(x, height > 0 ? zero - height : zero, bar, height > 0 ? height : -height, colour);
    svg.text(x + bar / 2, height > 0 ? zero - height - 5 : zero - height + 15, fmt::format("{:.2f}", value), "middle");
  };
  for (std::size_t i = 0; i < probs.size(); i++) {
    const double x = left + 140.0 * static_cast<double>(i);
    column(x, probs[i], belief);
    column(x + bar + 6, -slopes[i], push);
    svg.text(x + bar + 3, 272, std::string(1, "abc"[i]) + (i == 1 ? " (came)" : ""), "middle", 14);
  }
  svg.line(40, zero, 490, zero, "black");
  svg.rect(40, 288, 12, 12, belief);
  svg.text(58, 299, "probability");
  svg.rect(170, 288, 12, 12, push);
  svg.text(188, 299, "push on its score: minus the slope of the loss");
  return svg;
}

}  // namespace microgpt
