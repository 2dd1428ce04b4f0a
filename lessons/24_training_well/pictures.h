// The pictures of lesson 24: losses in, an Svg out.
#pragma once

#include <vector>

#include "draw/chart.h"

namespace microgpt {

inline const Axis thousand_steps{"step", {0, 200, 400, 600, 800, 1000}};

inline Svg draw_cures(const std::vector<Series>& of_others) {
  return chart("Dropout and weight decay keep the model from learning by heart", thousand_steps,
               {"loss of names not seen", {2.5, 2.6, 2.7, 2.8, 2.9, 3}}, of_others);
}

inline Svg draw_by_heart(const Series& of_few, const Series& of_others) {
  return chart("Learning 500 names by heart makes it worse at all others", thousand_steps,
               {"loss (nats per token)", {0, 1, 2, 3, 4, 5}},
               {of_few, {"500 names that it never sees", of_others.points}});
}

inline Svg draw_rates(const std::vector<double>& rates, const std::vector<Series>& recipes) {
  return chart("The learning rate has a valley, and each recipe has its own", {"learning rate", rates, true},
               {"validation loss (nats per token)", {2.38, 2.42, 2.46, 2.5, 2.54}}, recipes);
}

}  // namespace microgpt
