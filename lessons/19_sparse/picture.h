// The pictures of lesson 19.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "draft.h"
#include "inspect/plot.h"

namespace lesson19 {

const std::string symbols = "123+- ";  // the legend of the patterns, for a terminal

/// Who sees whom, who hears of whom later, who never does, and what is the future.
inline std::vector<Tiles> pattern_maps(const std::vector<std::string>& letters) {
  std::vector<Tiles> maps;
  for (const char* spec : {"full", "local:3", "strided:2:3", "global:2:1", "block:3", "bigbird:2:1:1"}) {
    Tiles& map = maps.emplace_back(Tiles{spec, letters, {}});
    for (const auto& row : heard_in_layer(visible_keys(parse_mask_pattern(spec), letters.size()))) {
      std::vector<std::size_t>& tiles = map.rows.emplace_back(letters.size(), 5);
      for (std::size_t s = 0; s < row.size(); s++)
        tiles[s] = row[s] == never ? 4 : std::min<std::size_t>(row[s], 4) - 1;
    }
  }
  return maps;
}

inline Svg patterns_picture(const std::vector<Tiles>& maps) {
  const Legend legend{{"#08306b", "sees it"},    {"#4292c6", "hears of it in layer 2"},
                      {"#a6cdea", "in layer 3"}, {"#dceaf6", "later"},
                      {"#e69f00", "never"},      {"#d0d0d0", "the future"}};
  return tile_maps("Only blocks never hear of each other. Rows: who looks; columns: at whom", maps, legend, 3);
}

/// amounts[layer][position]: how much of it is the first letter. Every position is drawn above the two that it sees.
inline Svg spread_picture(const std::string& letters, const std::vector<std::vector<double>>& amounts) {
  Svg svg(560, 320);
  svg.text(20, 26, "With a window of 2, the m comes one position further in each layer", "start", 14);
  auto x_of = [](std::size_t t) { return 110 + 90.0 * static_cast<double>(t); };
  auto y_of = [](std::size_t layer) { return 250 - 62.0 * static_cast<double>(layer); };
  for (std::size_t layer = 0; layer < amounts.size(); layer++) {
    svg.text(20, y_of(layer) + 5, layer == 0 ? "letters" : fmt::format("layer {}", layer));
    for (std::size_t t = 0; t < letters.size(); t++) {
      const double x = x_of(t), y = y_of(layer), amount = amounts[layer][t];
      for (std::size_t s = layer == 0 ? t + 1 : t - std::min<std::size_t>(t, 1); s <= t; s++) {
        const bool carries = amounts[layer - 1][s] > 0;
        svg.line(x, y + 15, x_of(s), y_of(layer - 1) - 15, carries ? "#0072b2" : "#bbbbbb", carries ? 2 : 1);
      }
      svg.rect(x - 24, y - 15, 48, 30, amount > 0.4 ? "#0072b2" : amount > 0 ? "#a6cdea" : "#e8e8e8");
      svg.text(x, y + 5, fmt::format("{}", amount), "middle", 13, 0, amount > 0.4 ? "white" : "black");
      if (layer == 0) svg.text(x, y + 34, std::string(1, letters[t]), "middle", 14);
    }
  }
  svg.text(20, 310, "In a square: how much of it is the m, if both weights of a window are equal");
  return svg;
}

}  // namespace lesson19
