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

/// The distance of round numbers on an axis of this length: up to nine of them.
double round_step(double length);

/// Points from left to right, and the name of their line.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool is_thin = false;  // of many points: grey, without dots
};

/// Every series as a line with dots, in a colour and with a name of its own, and its lowest point marked if that is
/// what one looks for and the line is not level. Points above the last tick of y are left out.
Svg chart(const std::string& title, const Axis& x, const Axis& y, const std::vector<Series>& all,
          bool mark_lowest = true);

/// For each place, the mean of the last `window` numbers up to there (fewer at the start).
std::vector<double> running_mean(const std::vector<double>& numbers, std::size_t window);

/// The loss of each step, from the `first`, the mean of the last 50 steps, and more lines.
Svg loss_curve(const std::string& title, const std::vector<double>& losses, std::size_t first,
               const std::vector<Series>& more = {});

}  // namespace microgpt
