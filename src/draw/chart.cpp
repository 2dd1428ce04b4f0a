#include "draw/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace microgpt {
namespace {

/// Where a number lies between the first tick and the last, from 0 to 1.
double place(const Axis& axis, double number) {
  auto scaled = [&](double x) { return axis.is_log ? std::log(x) : x; };
  const double first = scaled(axis.ticks.front());
  return (scaled(number) - first) / (scaled(axis.ticks.back()) - first);
}

}  // namespace

double round_step(double length) {
  double step = std::pow(10.0, std::floor(std::log10(length)) - 1);  // 10 to 100 of these
  for (const double times : {2.0, 2.5, 2.0}) {
    if (length / step > 8) step *= times;
  }
  return step;
}

Svg chart(const std::string& title, const Axis& x, const Axis& y, const std::vector<Series>& all, bool mark_lowest) {
  constexpr double left = 60, right = 620, top = 50, bottom = 330, dot = 5;
  constexpr std::array<const char*, 5> colours{"#0072b2", "#d55e00", "#00795a", "#8a4a75", "#555"};
  Svg svg(640, 378 + 18 * static_cast<double>((all.size() + 1) / 2));
  svg.text(20, 26, title, "start", 14);
  auto x_of = [&](double number) { return left + place(x, number) * (right - left); };
  auto y_of = [&](double number) { return bottom - place(y, number) * (bottom - top); };
  for (const double tick : y.ticks) {
    svg.line(left, y_of(tick), right, y_of(tick), "#ddd");
    svg.text(left - 8, y_of(tick) + 4, fmt::format("{}", tick), "end");
  }
  for (const double tick : x.ticks) {
    svg.line(x_of(tick), bottom, x_of(tick), bottom + 5, "black");
    svg.text(x_of(tick), bottom + 19, fmt::format("{}", tick), "middle");
  }
  svg.text(16, (top + bottom) / 2, y.name, "middle", 12, -90);
  const std::string mark = mark_lowest ? " (hollow square: the line's lowest point)" : "";
  svg.text((left + right) / 2, bottom + 38, x.name + mark, "middle");
  for (std::size_t i = 0; i < all.size(); i++) {
    const char* const colour = all[i].is_thin ? "#767676" : colours[i % colours.size()];
    std::vector<std::pair<double, double>> points;  // in pixels
    for (const auto& [at, number] : all[i].points) {
      if (number <= y.ticks.back()) points.emplace_back(x_of(at), y_of(number));
    }
    svg.polyline(points, colour, all[i].is_thin ? 0.5 : 2);
    for (const auto& [px, py] : points) {
      if (!all[i].is_thin) svg.rect(px - dot / 2, py - dot / 2, dot, dot, colour);
    }
    const auto above = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto lowest = std::max_element(points.begin(), points.end(), above);  // the first, if several are
    if (mark_lowest && !points.empty() &&
        std::any_of(points.begin(), points.end(), [&](const auto& point) { return above(point, *lowest); })) {
      svg.rect(lowest->first - dot, lowest->second - dot, 2 * dot, 2 * dot, colour);
      svg.rect(lowest->first - dot / 2, lowest->second - dot / 2, dot, dot, "white");
    }
    const double legend_x = i % 2 == 0 ? left : (left + right) / 2 + 10;
    const double legend_y = bottom + 62 + 18 * static_cast<double>(i / 2);
    svg.line(legend_x, legend_y - 4, legend_x + 24, legend_y - 4, colour, 3);
    svg.text(legend_x + 30, legend_y, all[i].name, "start", 12, 0, colour);
  }
  return svg;
}

std::vector<double> running_mean(const std::vector<double>& numbers, std::size_t window) {
  std::vector<double> means;
  for (std::size_t i = 0; i < numbers.size(); i++) {
    const std::size_t n = std::min(window, i + 1);
    double total = 0;
    for (std::size_t k = i + 1 - n; k <= i; k++) total += numbers[k];
    means.push_back(total / static_cast<double>(n));
  }
  return means;
}

/// An axis with round ticks, the first at most `low` and the last at least `high`.
static Axis round_axis(const std::string& name, double low, double high) {
  const double step = round_step(high > low ? high - low : 1);
  Axis axis{name, {}};
  for (double n = std::floor(low / step); axis.ticks.size() < 2 || axis.ticks.back() < high; n++) {
    axis.ticks.push_back(std::round(n * step * 1e9) / 1e9);
  }
  return axis;
}

Svg loss_curve(const std::string& title, const std::vector<double>& losses, std::size_t first,
               const std::vector<Series>& more) {
  std::vector<Series> all{{"each step", {}, true}, {"mean of the last 50 steps", {}}};
  const std::vector<double> means = running_mean(losses, 50);
  const std::size_t apart = losses.size() / 50 + 1;  // a dot for each mean would be a thick line
  for (std::size_t i = 0; i < losses.size(); i++) {
    all[0].points.emplace_back(first + i, losses[i]);
    if (i % apart == apart - 1 || i + 1 == losses.size()) all[1].points.emplace_back(first + i, means[i]);
  }
  all.insert(all.end(), more.begin(), more.end());
  const auto [low, high] = std::minmax_element(losses.begin(), losses.end());
  const auto last = static_cast<double>(first + losses.size() - 1);
  return chart(title, round_axis("step", static_cast<double>(first), last),
               round_axis("loss (nats per token)", *low, *high), all, false);
}

}  // namespace microgpt
