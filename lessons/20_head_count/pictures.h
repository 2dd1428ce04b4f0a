// The pictures of lesson 20: where copiers look, and how they learn.
#pragma once

#include "draw/chart.h"
#include "draw/plot.h"
#include "lesson/lesson.h"

namespace microgpt {

/// Of the maps of one word, the six rows in which a letter of the answer is to be written: after BOS and the word.
inline std::vector<TitledGrid> rows_of_answer(const std::string& title, std::vector<TitledGrid> maps) {
  for (auto& [name, grid] : maps) {
    name = title + (maps.size() == 1 ? ' ' : name.back());
    grid.rows = {grid.rows.begin() + 7, grid.rows.begin() + 13};
    grid.row_labels = {"1", "2", "3", "4", "5", "6"};
    grid.col_labels = {".", "1", "2", "3", "4", "5", "6", "=", "1", "2", "3", "4", "5"};
  }
  return maps;
}

inline Svg draw_looks(const std::vector<TitledGrid>& one, const std::vector<TitledGrid>& four) {
  return heat_maps("One head has missed letter 2 for good; of four heads, head 3 found it", {one, four},
                   "Row: the letter that is to be written; column: where a head looks (\".\" is BOS). Darkest: all of "
                   "its weight.");
}

/// Of each seed with this number of heads: the loss of every step, and the share of right letters in the end.
struct Panel {
  struct Seed {
    std::vector<double> losses;
    double right;
  };
  std::size_t heads;
  std::vector<Seed> seeds;
};

/// A panel for each number of heads, a line for each seed. Levels: so many of the six letters are only guessed.
inline Svg draw_curves(const std::vector<Panel>& panels) {
  constexpr double left = 110, top = 74, width = 150, height = 210, high = 2.05, low = 0.8;
  const double right = left + static_cast<double>(panels.size()) * (width + 12) - 12;
  auto y_of = [&](double loss) { return top + height * (high - loss) / (high - low); };
  Svg svg(right + 20, top + height + 64);
  svg.text(20, 26, "One head copies a letter or never does; sixteen learn all of them slowly", "start", 15);
  svg.text(20, y_of(1.95), "letters that are", "start", 11);
  svg.text(20, y_of(1.95) + 13, "only guessed", "start", 11);
  for (std::size_t guessed = 0; guessed <= 6; guessed++) {  // and the word itself is always guessed
    const double y = y_of(static_cast<double>(6 + guessed) * std::log(8) / 14);
    svg.text(left - 10, y + 4, fmt::format("{}", guessed), "end", 12);
    svg.line(left - 6, y, right, y, "#d0d0d0");
  }
  for (double x = left; const auto& [heads, seeds] : panels) {
    svg.text(x + width / 2, top - 8, fmt::format("heads: {}", heads), "middle", 13);
    svg.text(x, top + height + 14, "step 0", "start", 11);
    svg.text(x + width, top + height + 14, fmt::format("{}", seeds[0].losses.size()), "end", 11);
    for (const Panel::Seed& seed : seeds) {
      const std::vector<double> means = running_mean(seed.losses, 20);
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 9; i < means.size(); i += 10) {
        const double at = static_cast<double>(i + 1) / static_cast<double>(means.size());
        if (means[i] < high) points.emplace_back(x + width * at, y_of(means[i]));
      }
      svg.polyline(points, seed.right < 0.95 ? "#d55e00" : "#0072b2", 1.5);
    }
    x += width + 12;
  }
  svg.text(left, top + height + 36, "A line is a seed: mean loss of the last 20 steps, in units of a guessed letter.");
  svg.text(left, top + height + 54, "Blue: in the end 95 % of the answers' letters are right; orange: fewer.");
  return svg;
}

}  // namespace microgpt
