// The picture of lesson 11: the way back through attention, in numbers.
#pragma once

#include <array>

#include "lesson/array.h"
#include "lesson/lesson.h"

namespace microgpt {

/// The third of three positions: above, how it found its answer from q, k and v, the three arrays of `a`; below, how
/// the slopes come back to `d`. The loss is the answer's first number.
inline Svg way_back_picture(const std::array<Array, 3>& a, const std::array<Array, 3>& d,
                            const std::vector<double>& weights, const std::vector<double>& dscores, double answer) {
  constexpr const char *given = "#e6e6e6", *forward = "#bcd9ea", *back = "#f5c189";
  Svg svg(770, 400);
  auto draw = [&](double left, double top, const char* name, const Array& x, int decimals, const char* colour,
                  const std::string& note = "") {
    draw_numbers(svg, {left, top}, name, x, decimals, [=](std::size_t, std::size_t) { return colour; });
    svg.text(left, top + 16 + 34 * static_cast<double>(x.rows), note, "start", 11);
  };
  const auto& [q, k, v] = a;
  svg.text(20, 26, "Back through attention: a score counts as far as its value is above or below the mean", "start",
           14);
  svg.text(20, 60, "forward \u2192", "start", 13);
  draw(20, 96, "q", row_of({q[2][0], q[2][1]}), 0, given);
  draw(130, 96, "k", k, 0, given);
  draw(400, 96, "weights", row_of(weights), 2, forward, "softmax of q k / \u221a2");
  draw(560, 96, "v", v, 0, given);
  draw(664, 96, "out[0]", row_of({answer}), 2, forward, "weights times v");
  svg.text(740, 236, "\u2190 back", "end", 13);
  draw(20, 272, "dq", row_of({d[0][2][0], d[0][2][1]}), 2, back, "dscores k / \u221a2");
  draw(130, 272, "dk", d[1], 2, back, "dscores q / \u221a2");
  draw(240, 272, "dscores", row_of(dscores), 2, back, fmt::format("weight (dweight \u2212 {:.2f})", answer));
  draw(400, 272, "dweights", row_of({v[0][0], v[1][0], v[2][0]}), 2, back, "dout times a row of v");
  draw(560, 272, "dv", d[2], 2, back, "weight times dout");
  draw(664, 272, "dout", row_of({1, 0}), 0, given, "loss = out[0]");
  return svg;
}

}  // namespace microgpt
