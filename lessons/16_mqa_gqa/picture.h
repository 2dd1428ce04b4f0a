// The picture of lesson 16: which head of keys and values a query head reads.
#pragma once

#include <fmt/format.h>

#include <array>

#include "draw/svg.h"

namespace microgpt {

/// Four query heads above G heads of keys and values, for G = 4, 2 and 1. `kv_head(h, H, G)` says which one h reads.
inline Svg heads_picture(std::size_t (*kv_head)(std::size_t, std::size_t, std::size_t)) {
  constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
  constexpr double box = 34, gap = 10, top = 92, below = 190;
  constexpr std::size_t H = 4;
  Svg svg(640, 300);
  svg.text(20, 26, "Every head keeps its question; fewer heads keep keys and values", "start", 15);
  double left = 30;
  for (const std::size_t G : {4, 2, 1}) {
    const double width = H * box + (H - 1) * gap;
    auto x_of = [&](std::size_t i, std::size_t n) {  // the left edge of box i of n, in the middle of its group
      const double group = static_cast<double>(H) / static_cast<double>(n);
      return left + ((static_cast<double>(i) + 0.5) * group - 0.5) * (box + gap);
    };
    svg.text(left + width / 2, 62, G == H ? "MHA: 4" : G == 1 ? "MQA: 1" : "GQA: 2", "middle", 15);
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t g = kv_head(h, H, G);
      svg.line(x_of(h, H) + box / 2, top + box, x_of(g, G) + box / 2, below, colours[g], 2.5);
      svg.rect(x_of(h, H), top, box, box, colours[g]);
      svg.text(x_of(h, H) + box / 2, top + 22, fmt::format("q{}", h), "middle", 14, 0, "white");
    }
    for (std::size_t g = 0; g < G; g++) {
      svg.rect(x_of(g, G), below, box, box, colours[g]);
      svg.text(x_of(g, G) + box / 2, below + 22, fmt::format("kv{}", g), "middle", 14, 0, "white");
    }
    svg.text(left + width / 2, below + 60, "kept of a position:", "middle", 13);
    svg.text(left + width / 2, below + 78, fmt::format("{0} key{1}, {0} value{1}", G, G == 1 ? "" : "s"), "middle", 13);
    left += width + 38;
  }
  return svg;
}

}  // namespace microgpt
