// Pictures of how puzzles were solved, for lessons 06 and 07.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "draw/plot.h"
#include "draw/svg.h"

namespace microgpt {

inline constexpr std::array puzzle_colours{"#d55e00", "#0072b2", "#00795a"};

/// Several lists of weights, each as bars above the signs of a puzzle.
inline Svg bars_picture(const std::string& title, const std::string& signs, const std::vector<std::string>& names,
                        const std::vector<std::vector<double>>& weights) {
  constexpr double left = 150, column = 48, height = 70, row = 110;
  Svg svg(left + column * static_cast<double>(signs.size()) + 30, 60 + row * static_cast<double>(names.size()));
  svg.text(20, 26, title, "start", 14);
  for (std::size_t r = 0; r < names.size(); r++) {
    const double zero = 50 + height + row * static_cast<double>(r);
    svg.text(left - 16, zero - 25, names[r], "end", 13, 0, puzzle_colours[r % 3]);
    svg.line(left, zero, left + column * static_cast<double>(signs.size()), zero, "#555");
    for (std::size_t i = 0; i < signs.size(); i++) {
      const double x = left + column * (static_cast<double>(i) + 0.5), tall = height * weights[r][i];
      svg.rect(x - 16, zero - tall, 32, tall, puzzle_colours[r % 3]);
      svg.text(x, zero - tall - 4, fmt::format("{:.2f}", weights[r][i]), "middle", 10);
      svg.text(x, zero + 16, std::string(1, signs[i]), "middle", 14);
    }
  }
  return svg;
}

/// A name, and the loss of each step.
using Curve = std::pair<std::string, std::vector<double>>;

/// The mean of the last hundred losses at each step, for three ways to look back, and what counting gets.
inline Svg puzzle_picture(const std::vector<Curve>& curves) {
  constexpr double left = 60, right = 600, top = 50, bottom = 320, unit = 110;
  const double counting = bottom - unit * std::log(8.0);
  Svg svg(640, 370);
  svg.text(20, 26, "Second puzzle, ca*fdbe*f: only weights that know what stands before a letter solve it", "start",
           14);
  for (const int tick : {0, 1, 2}) {
    svg.line(left, bottom - unit * tick, right, bottom - unit * tick, "#ddd");
    svg.text(left - 8, bottom - unit * tick + 4, std::to_string(tick), "end");
  }
  svg.text(18, (top + bottom) / 2, "loss of the answer (nats)", "middle", 12, -90);
  svg.text(left + 45, bottom - unit * std::log(10.0) - 4, "starts at log 10: ten signs, all alike", "start", 12, 0,
           "#555");
  svg.text(left, bottom + 20, "step 1");
  svg.text(right, bottom + 20, fmt::format("step {}", curves[0].second.size()), "end");
  svg.line(left, counting, right, counting, "black", 1.5);
  svg.text(right, counting - 6, "counting, or the last letter alone: a guess among 8 letters", "end");
  const double label_y[] = {bottom - unit * 1.55 - 22, bottom - unit * 1.55 + 32, bottom - 8};
  for (std::size_t c = 0; c < curves.size(); c++) {
    const std::vector<double> means = running_mean(curves[c].second, 100);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 99; i < means.size(); i += 20) {
      const double x = left + (right - left) * static_cast<double>(i + 1) / static_cast<double>(means.size());
      points.emplace_back(x, bottom - unit * means[i]);
    }
    svg.polyline(points, puzzle_colours[c], 2.5);
    svg.text(right, label_y[c], curves[c].first, "end", 13, 0, puzzle_colours[c]);
  }
  svg.line(420, bottom - 4, 420, bottom - unit * 1.52, "#555", 1);
  svg.text(410, bottom - unit * 0.8, "knowing where to look is worth 1.5 nats", "end", 12, 0, "#555");
  return svg;
}

}  // namespace microgpt
