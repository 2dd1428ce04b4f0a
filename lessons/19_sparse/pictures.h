// The picture of lesson 19, and its table of times.
#pragma once

#include <limits>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "tensor/kernels.h"

namespace microgpt {

/// Who sees whom, who hears of whom later, who never does, and what is the future. For each pattern and query, `heard`
/// has the layer in which it hears of each key up to its own; the largest number is never.
inline Svg patterns_picture(const std::vector<std::string>& letters, const std::vector<std::string>& patterns,
                            const std::vector<std::vector<std::vector<std::size_t>>>& heard) {
  std::vector<Tiles> maps;
  for (std::size_t p = 0; p < patterns.size(); p++) {
    Tiles& map = maps.emplace_back(Tiles{patterns[p], letters, {}});
    for (const auto& row : heard[p]) {
      std::vector<std::size_t>& tiles = map.rows.emplace_back(letters.size(), 5);
      for (std::size_t s = 0; s < row.size(); s++)
        tiles[s] = row[s] == std::numeric_limits<std::size_t>::max() ? 4 : std::min<std::size_t>(row[s], 4) - 1;
    }
  }
  const Legend legend{{"#08306b", "sees it"},    {"#4292c6", "hears of it in layer 2"},
                      {"#a6cdea", "in layer 3"}, {"#dceaf6", "later"},
                      {"#e69f00", "never"},      {"#d0d0d0", "the future"}};
  return tile_maps("Only blocks never hear of each other. Rows: who looks; columns: at whom", maps, legend, 3);
}

/// How long the attention of one layer of src/tensor takes, in milliseconds: 8 heads of 64 numbers answer queries
/// first_query to T - 1.
inline double time_of(std::size_t first_query, std::size_t T, const Mask& mask) {
  constexpr std::size_t H = 8, D = 64;
  const std::size_t n = T - first_query;
  Tensor<float> q(n, H * D), k(T, H * D), v(T, H * D), out(n, H * D), log_sum(H, n);
  const AttentionCall<float> call{q.view(), k.view(), v.view(), H, H, 1 / std::sqrt(double(D)), mask, first_query};
  return Lesson::microseconds([&] { fast<float>().attention_forward(out.view(), log_sum.view(), call); }) / 1000;
}

/// With TIMES=1: a whole text, and one more token, with and without a window.
inline void print_times() {
  constexpr std::size_t W = 128;
  fmt::print("\nattention of one layer, in ms  | a whole text       | one more token     | cache, KB\n");
  fmt::print("tokens                         |     full | window  |     full | window  |  full | window\n");
  for (const std::size_t T : {256, 1024, 4096}) {
    const Mask window = Mask::of({.window = W}, T);
    auto kilobytes = [](std::size_t rows) { return 2 * rows * 512 * sizeof(float) / 1024; };
    fmt::print("{:30} | {:8.2f} | {:7.2f} | {:8.3f} | {:7.3f} | {:5} | {:6}\n", T, time_of(0, T, Mask::causal()),
               time_of(0, T, window), time_of(T - 1, T, Mask::causal()), time_of(W - 1, W, Mask::causal()),
               kilobytes(T), kilobytes(W));
  }
}

}  // namespace microgpt
