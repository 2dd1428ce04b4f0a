// A picture of how puzzles were solved, for lessons 06 and 07.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

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

}  // namespace microgpt
