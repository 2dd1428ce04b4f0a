// The picture of lesson 26: how chunks grow as they go round.
#pragma once

#include "lesson/lesson.h"

namespace microgpt {

/// Four machines, a column each, and their four chunks: whose sums are in each after every round of reduce-scatter.
inline Svg draw_ring() {
  constexpr int N = 4;
  constexpr double left = 110, top = 76, column = 130, row = 92, width = 22, height = 15;
  constexpr const char* colours[] = {"#56b4e9", "#e69f00", "#009e73", "#cc79a7"};  // of the machines
  Svg svg(left + N * column + 10, top + N * row + 20);
  svg.rect(0, 0, left + N * column + 10, top + N * row + 20, "white");
  svg.text(14, 26, "In each round every machine sends one chunk to its right", "start", 15);
  for (int m = 0; m < N; m++) svg.text(left + column * m + 44, 60, "machine " + std::to_string(m), "middle", 12);
  for (int round = 0; round < N; round++) {
    const double y = top + row * round;
    svg.text(14, y + 28, round == 0 ? "its own" : "after round " + std::to_string(round), "start", 12);
    svg.text(14, y + 44, round == 0 ? "names only" : "", "start", 12);
    for (int m = 0; m < N; m++) {
      for (int chunk = 0; chunk < N; chunk++) {
        // Chunk c set out from machine c, so that after some rounds machine m has the sums of those it came through.
        const int came = (m - chunk + N) % N;
        const int terms = came <= round ? came + 1 : 1;
        const double x = left + column * m, at = y + (height + 3) * chunk;
        for (int term = 0; term < N; term++) {
          const int of = (m - terms + 1 + term + N) % N;
          svg.rect(x + width * term, at, width - 2, height, term < terms ? colours[of] : "#eeeeee");
        }
        if (terms == N) svg.text(x + width * N + 4, at + 12, "all", "start", 11);
        if (came != round || round + 1 == N) continue;
        const double from = x + width * N + 2, to = x + column - 4, middle = (from + to) / 2,
                     between = at + 4 + row / 2;
        if (m + 1 < N) {
          svg.arrow(from, at + 8, to, at + row, "#888888");
        } else {  // round the back: the right of the last machine is machine 0
          svg.line(from, at + 8, middle, between, "#888888", 1.5);
          svg.arrow(middle - column * N, between, to - column * N, at + row, "#888888");
        }
      }
    }
  }
  return svg;
}

}  // namespace microgpt
