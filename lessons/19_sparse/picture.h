// The picture of lesson 19.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "draft.h"
#include "draw/plot.h"

namespace lesson19 {

/// Who sees whom, who hears of whom later, who never does, and what is the future.
inline Svg patterns_picture(const std::vector<std::string>& letters) {
  std::vector<Tiles> maps;
  for (const char* spec : {"full", "local:3", "strided:2:3", "global:2:1", "block:3", "bigbird:2:1:1"}) {
    Tiles& map = maps.emplace_back(Tiles{spec, letters, {}});
    for (const auto& row : heard_in_layer(visible_keys(parse_mask_pattern(spec), letters.size()))) {
      std::vector<std::size_t>& tiles = map.rows.emplace_back(letters.size(), 5);
      for (std::size_t s = 0; s < row.size(); s++)
        tiles[s] = row[s] == never ? 4 : std::min<std::size_t>(row[s], 4) - 1;
    }
  }
  const Legend legend{{"#08306b", "sees it"},    {"#4292c6", "hears of it in layer 2"},
                      {"#a6cdea", "in layer 3"}, {"#dceaf6", "later"},
                      {"#e69f00", "never"},      {"#d0d0d0", "the future"}};
  return tile_maps("Only blocks never hear of each other. Rows: who looks; columns: at whom", maps, legend, 3);
}

}  // namespace lesson19
