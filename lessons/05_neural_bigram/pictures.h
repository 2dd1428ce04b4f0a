// The pictures of lesson 05.
#pragma once

#include <utility>
#include <vector>

#include "draw/chart.h"
#include "draw/plot.h"

namespace microgpt {

inline Svg loss_picture(const std::vector<double>& losses, double counting) {
  Svg curve =
      loss_curve("The MLP learns what counting knows", losses, Baseline{"counting, on held-out names", counting});
  curve.text(616, 70, "mean of the last 50 steps", "end", 12, 0, "rgb(8,48,107)");
  curve.text(616, 88, "each step", "end", 12, 0, "#666");
  return curve;
}

/// Each point is (how often the hundred names were read, loss).
inline Svg few_picture(const std::vector<std::pair<double, double>>& few,
                       const std::vector<std::pair<double, double>>& fresh, double counting) {
  return chart(
      "100 names: first it learns what names are like, then these names",
      {"how often the 100 names were read", {0, 10, 20, 30}}, {"loss", {2.2, 2.4, 2.6, 2.8, 3.0, 3.2}},
      {{"the 100 names", few}, {"new names", fresh}, {"counting, on new names", {{0, counting}, {30, counting}}}},
      false);
}

}  // namespace microgpt
