// What the museum shows: its rooms, and a picture.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/svg.h"
#include "museum.h"

namespace microgpt {

inline std::string shown(std::optional<double> loss) { return loss ? fmt::format("{:.4f}", *loss) : "-"; }

/// The first check that sees the bug, and how many more.
inline std::string seen_by(const Bug& bug) {
  if (bug.crashed) return "it crashes or gives up";
  if (bug.num_failed == 0) return "NO CHECK";
  const std::string more = bug.num_failed == 1 ? "" : fmt::format(" (+{})", bug.num_failed - 1);
  return (bug.check.size() <= 60 ? bug.check : bug.check.substr(0, 57) + "...") + more;
}

/// Two lines: the losses and the first check that sees the bug, then what the bug is.
inline void print(const Bug& bug) {
  fmt::print("{:16} {:16} {:>7} {:>8}  {}\n    {}\n", bug.lesson, bug.name, shown(bug.right), shown(bug.broken),
             seen_by(bug), bug.sentence);
}

/// A row for each bug with a loss: how far the loss moved, and whether a check sees the bug.
inline Svg picture(const std::vector<Bug>& bugs, double unnoticed) {
  std::vector<Bug> rows;
  for (const Bug& bug : bugs) {
    if (bug.right && bug.broken && std::isfinite(*bug.broken)) rows.push_back(bug);
  }
  auto difference = [](const Bug& bug) { return *bug.broken - *bug.right; };
  std::stable_sort(rows.begin(), rows.end(), [&](const Bug& a, const Bug& b) { return difference(a) < difference(b); });
  constexpr double top = 60, row_height = 15, left = 220, middle = 400, scale = 600, right = 640;  // pixels
  const double bottom = top + row_height * static_cast<double>(rows.size());
  Svg svg(right, bottom + 40);
  svg.rect(0, 0, right, bottom + 40, "white");
  svg.text(10, 20, "Many bugs hardly move the loss, and some improve it", "start", 14);
  svg.text(10, 38, "blue: a check sees the bug; orange: none does. Grey: too little to notice", "start", 11);
  svg.rect(middle - scale * unnoticed, top - 6, 2 * scale * unnoticed, bottom - top + 6, "#dddddd");
  svg.line(middle, top - 6, middle, bottom, "#888888");
  for (double tick : {-0.2, -0.1, 0.1, 0.2, 0.3}) {
    svg.line(middle + scale * tick, bottom - 4, middle + scale * tick, bottom, "#888888");
    svg.text(middle + scale * tick, bottom + 14, fmt::format("{:+.1f}", tick), "middle", 10);
  }
  svg.text(middle, bottom + 30, "loss with the bug minus the right loss (nats; arrows: beyond the scale)", "middle",
           11);
  for (std::size_t i = 0; i < rows.size(); i++) {
    const double y = top + row_height * (static_cast<double>(i) + 0.5);
    const double x = middle + scale * difference(rows[i]);
    const double drawn = std::clamp(x, left, right - 20);
    const char* colour = rows[i].num_failed == 0 ? "#d55e00" : "#0072b2";
    svg.text(left - 10, y + 3, rows[i].lesson + " " + rows[i].name, "end", 10);
    svg.line(middle, y, drawn, y, colour, 1.5);
    if (drawn == x) svg.rect(x - 3, y - 3, 6, 6, colour);
    if (drawn != x) svg.text(drawn, y + 4, x > middle ? "▶" : "◀", "middle", 11, 0, colour);
  }
  return svg;
}

}  // namespace microgpt
