// The pictures of lesson 11: the way back through attention in numbers, and the gradients of the letters.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "inspect/plot.h"
#include "lesson/number_grid.h"

namespace microgpt {

inline Array row_of(const std::vector<double>& numbers) {
  Array row(1, numbers.size());
  row.data = numbers;
  return row;
}

/// The third of three positions: above, how it found its answer from q, k and v, the three arrays of `a`; below, how
/// the slopes come back to `d`. The loss is the first number of the answer.
inline Svg way_back_picture(const std::array<Array, 3>& a, const std::array<Array, 3>& d,
                            const std::vector<double>& weights, const std::vector<double>& dscores) {
  auto paint = [](const char* colour) { return [=](std::size_t, std::size_t) { return colour; }; };
  const auto given = paint("#e6e6e6"), forward = paint("#bcd9ea"), back = paint("#f5c189");
  const auto& [q, k, v] = a;
  Array out(1, 2), scores(1, 3);
  for (std::size_t s = 0; s < 3; s++) {
    scores[0][s] = (q[2][0] * k[s][0] + q[2][1] * k[s][1]) / std::sqrt(2);
    for (std::size_t j = 0; j < 2; j++) out[0][j] += weights[s] * v[s][j];
  }
  Svg svg(770, 400);
  svg.text(20, 26, "Back through attention: a score counts as far as its value is above or below the mean", "start",
           14);
  svg.text(20, 60, "forward \u2192", "start", 13);
  draw_numbers(svg, 20, 96, "q", row_of({q[2][0], q[2][1]}), 0, given);
  draw_numbers(svg, 130, 96, "k", k, 0, given);
  draw_numbers(svg, 240, 96, "scores", scores, 2, forward);
  draw_numbers(svg, 400, 96, "weights", row_of(weights), 2, forward);
  draw_numbers(svg, 560, 96, "v", v, 0, given);
  draw_numbers(svg, 664, 96, "out", out, 2, forward);
  svg.text(740, 236, "\u2190 back", "end", 13);
  draw_numbers(svg, 20, 272, "dq", row_of({d[0][2][0], d[0][2][1]}), 2, back);
  draw_numbers(svg, 130, 272, "dk", d[1], 2, back);
  draw_numbers(svg, 240, 272, "dscores", row_of(dscores), 2, back);
  draw_numbers(svg, 400, 272, "dweights", row_of({v[0][0], v[1][0], v[2][0]}), 2, back);
  draw_numbers(svg, 560, 272, "dv", d[2], 2, back);
  draw_numbers(svg, 664, 272, "dout", row_of({1, 0}), 0, given);
  svg.text(20, 322, "dscores k / \u221a2", "start", 11);
  svg.text(130, 390, "dscores q / \u221a2", "start", 11);
  svg.text(240, 322, fmt::format("weight (dweight \u2212 {:.2f})", out[0][0]), "start", 11);
  svg.text(400, 322, "dout times a row of v", "start", 11);
  svg.text(560, 390, "weight times dout", "start", 11);
  svg.text(664, 322, "loss = out[0]", "start", 11);
  return svg;
}

/// The gradients of wte without their signs: a column for each letter, a row for each of its numbers.
inline Svg letters_picture(const std::vector<double>& gradient, const Tokenizer& tokenizer) {
  Grid grid;
  grid.row_labels.resize(16);
  grid.rows.resize(16);
  for (Token token = 0; token < tokenizer.vocab_size(); token++) {
    grid.col_labels.push_back(tokenizer.label(token));
    for (std::size_t c = 0; c < 16; c++) grid.rows[c].push_back(std::abs(gradient[token * 16 + c]));
  }
  Svg svg = heat_map("Letters that were read get a gradient, and common ones the most", grid);
  svg.text(40, 358, "the 16 numbers of each letter; darker: a steeper slope");
  return svg;
}

}  // namespace microgpt
