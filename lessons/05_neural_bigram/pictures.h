// The pictures of lesson 05.
#pragma once

#include "draw/chart.h"
#include "lesson/lesson.h"

namespace microgpt {

inline Svg loss_picture(const std::vector<double>& losses, double counting) {
  const auto last = static_cast<double>(losses.size());
  return loss_curve("The MLP learns what counting knows", losses, 1,
                    {{"counting, on held-out names", {{1, counting}, {last, counting}}}});
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
