// Lines over an axis of any kind: a loss after some steps, or at some learning rates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "draw/svg.h"

namespace microgpt {

/// From the first tick to the last, which must differ. With `is_log`, equal factors are equally far apart.
struct Axis {
  std::string name;
  std::vector<double> ticks;
  bool is_log = false;
};

/// Points from left to right, and the name of their line.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Every series as a line with dots, in a colour and with a name of its own, and its lowest point marked if that is
/// what one looks for. Points above the last tick of y are left out.
Svg chart(const std::string& title, const Axis& x, const Axis& y, const std::vector<Series>& all,
          bool mark_lowest = true);

}  // namespace microgpt
