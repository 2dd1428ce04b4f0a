// The pictures of lesson 10: a product of two matrices, and the rows of a batch.
#pragma once

#include <array>

#include "lesson/array.h"
#include "lesson/model_picture.h"
#include "tensor/batch.h"

namespace microgpt {

/// y = x w^T, with w^T above y and x at its left. Coloured: the cell y[1][0], and what it is made of.
inline Svg product_picture(const Array& x, const Array& w_t, const Array& y) {
  auto paint = [](bool chosen) { return chosen ? "#f5c189" : "#e6e6e6"; };
  Svg svg(560, 290);
  svg.text(20, 26, "A cell of y: its row of x times its column of w^T, added up", "start", 14);
  draw_numbers(svg, {220, 72}, "w^T (3,2): a column for each output", w_t, 0,
               [&](auto, auto c) { return paint(c == 0); });
  draw_numbers(svg, {60, 206}, "x (2,3): a row", x, 0, [&](auto r, auto) { return paint(r == 1); });
  draw_numbers(svg, {220, 206}, "y (2,2)", y, 0, [&](auto r, auto c) { return paint(r == 1 && c == 0); });
  svg.text(324, 262,
           fmt::format("{}\u00b7{} + {}\u00b7{} + {}\u00b7{} = {}", x[1][0], w_t[0][0], x[1][1], w_t[1][0], x[1][2],
                       w_t[2][0], y[1][0]));
  return svg;
}

/// The rows of three names, each with its 16 numbers, and beside them which rows each may look at.
inline Svg rows_picture(const Batch& batch, const Tokenizer& tokenizer) {
  constexpr std::array<const char*, 3> colours{"#0072b2", "#d55e00", "#009e73"};
  constexpr double cell = 16, top = 76, left = 120, grid = 300;
  const double side = cell * static_cast<double>(batch.num_positions());
  Svg svg(grid + side + 20, top + side + 16);
  svg.text(20, 26, "Three names are one matrix. Only attention has to know where a name begins", "start", 14);
  svg.text(14, top - 10, "row, token, position");
  svg.text(left + 80, top - 24, "its 16 numbers", "middle");
  svg.text(grid, top - 24, "attention: the rows that a row looks at");
  svg.rect(grid, top, side, side, "#e6e6e6");
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    for (std::size_t t = first; t < first + n; t++) {
      const double y = top + cell * static_cast<double>(t), above = grid + cell * (static_cast<double>(t) + 0.5);
      svg.text(34, y + 12, fmt::format("{}", t), "end");
      svg.text(100, y + 12, fmt::format("{}", batch.positions()[t]), "end");
      svg.text(66, y + 12, tokenizer.label(batch.tokens()[t]), "middle", 13, 0, colours[i]);
      svg.text(above, top - 6, tokenizer.label(batch.tokens()[t]), "middle", 13, 0, colours[i]);
      svg.rect(left, y, 160, cell - 1, colours[i]);
      for (std::size_t s = first; s <= t; s++) {
        svg.rect(grid + cell * static_cast<double>(s), y, cell - 1, cell - 1, colours[i]);
      }
    }
  }
  for (double c = 1; c < 16; c++) svg.line(left + 10 * c, top, left + 10 * c, top + side, "white");
  return svg;
}

}  // namespace microgpt
