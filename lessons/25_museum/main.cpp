// Lesson 25: a museum of bugs. Every mistake of every lesson was built and run. What does its loss look like beside the
// right one, and which check sees the mistake?
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "draw/svg.h"
#include "museum.h"

using namespace lesson25;

/// A difference of losses that nobody would notice in a curve: some two or three standard errors of a held-out loss.
constexpr double unnoticed = 0.02;

enum class Verdict { shown, hidden, praised, no_loss };

/// What the loss says about the bug.
Verdict verdict(const Outcome& outcome) {
  if (outcome.crashed) return Verdict::shown;
  if (!outcome.right) return Verdict::no_loss;
  if (!outcome.broken || !std::isfinite(*outcome.broken)) return Verdict::shown;
  const double difference = *outcome.broken - *outcome.right;
  return difference > unnoticed ? Verdict::shown : difference < -unnoticed ? Verdict::praised : Verdict::hidden;
}

std::string shown(std::optional<double> loss) { return loss ? fmt::format("{:.4f}", *loss) : "-"; }

/// The text, cut off after n characters.
std::string cut(const std::string& text, std::size_t n) {
  return text.size() <= n ? text : text.substr(0, n - 3) + "...";
}

/// The first check that sees the bug, and how many more.
std::string seen_by(const Outcome& outcome) {
  if (outcome.crashed) return "it crashes or gives up";
  if (outcome.failed.empty()) return "NO CHECK";
  const std::string more = outcome.failed.size() == 1 ? "" : fmt::format(" (+{})", outcome.failed.size() - 1);
  return cut(outcome.failed[0], 60) + more;
}

struct Exhibit {
  Bug bug;
  Outcome outcome;
};

std::size_t print_room(const std::vector<Exhibit>& exhibits, Verdict which, const char* title) {
  fmt::print("\n--- {} ---\n", title);
  std::size_t count = 0;
  for (const auto& [bug, outcome] : exhibits) {
    if (verdict(outcome) != which) continue;
    count++;
    fmt::print("{:16} {:16} {:>7} {:>8}  {}\n", bug.lesson, bug.name, shown(outcome.right), shown(outcome.broken),
               seen_by(outcome));
  }
  return count;
}

/// A row for each bug with a loss: how far the loss moved, and whether a check sees the bug.
microgpt::Svg picture(const std::vector<Exhibit>& exhibits) {
  std::vector<const Exhibit*> rows;
  for (const Exhibit& exhibit : exhibits) {
    if (exhibit.outcome.right && exhibit.outcome.broken && std::isfinite(*exhibit.outcome.broken))
      rows.push_back(&exhibit);
  }
  auto difference = [](const Exhibit* exhibit) { return *exhibit->outcome.broken - *exhibit->outcome.right; };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Exhibit* a, const Exhibit* b) { return difference(a) < difference(b); });
  constexpr double top = 60, row_height = 15, left = 220, middle = 400, scale = 600, right = 640;  // pixels
  const double bottom = top + row_height * static_cast<double>(rows.size());
  microgpt::Svg svg(right, bottom + 40);
  svg.rect(0, 0, right, bottom + 40, "white");
  svg.text(10, 20, "Many bugs hardly move the loss, and some improve it", "start", 14);
  svg.text(10, 38, "blue: a check sees the bug; orange: none does. Grey: too little to notice", "start", 11);
  svg.rect(middle - scale * unnoticed, top - 6, 2 * scale * unnoticed, bottom - top + 6, "#dddddd");
  svg.line(middle, top - 6, middle, bottom, "#888888");
  for (double tick : {-0.2, -0.1, 0.1, 0.2, 0.3}) {
    svg.line(middle + scale * tick, bottom - 4, middle + scale * tick, bottom, "#888888");
    svg.text(middle + scale * tick, bottom + 14, fmt::format("{:+.1f}", tick), "middle", 10);
  }
  svg.text(middle, bottom + 30, "loss with the bug, less the right loss (nats; arrows: beyond the scale)", "middle",
           11);
  for (std::size_t i = 0; i < rows.size(); i++) {
    const double y = top + row_height * (static_cast<double>(i) + 0.5);
    const double x = middle + scale * difference(rows[i]);
    const double drawn = std::clamp(x, left, right - 20);
    const char* colour = rows[i]->outcome.failed.empty() ? "#d55e00" : "#0072b2";
    svg.text(left - 10, y + 3, rows[i]->bug.lesson + " " + rows[i]->bug.name, "end", 10);
    svg.line(middle, y, drawn, y, colour, 1.5);
    if (drawn == x) svg.rect(x - 3, y - 3, 6, 6, colour);
    if (drawn != x) svg.text(drawn, y + 4, x > middle ? "▶" : "◀", "middle", 11, 0, colour);
  }
  return svg;
}

int main() {
  const std::vector<Bug> bugs = all_bugs();
  fmt::print("{} bugs, each a patch of a few lines. Every one has been run.\n", bugs.size());
  std::vector<Exhibit> exhibits;
  try {
    for (const Bug& bug : bugs) {
      exhibits.push_back({bug, outcome_of(bug)});  // stop: bug
    }
    const char* const folder = std::getenv("PICTURES");
    picture(exhibits).write(std::string(folder == nullptr ? "build/pictures" : folder) + "/25_museum.svg");
  } catch (const microgpt::Error& error) {
    fmt::print(stderr, "lesson: {}\n", error.what());
    return 1;
  }

  fmt::print("\nlesson           bug                right  with it  the first check that sees it\n");
  const std::size_t shown = print_room(exhibits, Verdict::shown, "the loss shows it: it is worse, or there is none");
  const std::size_t hidden = print_room(exhibits, Verdict::hidden, "the loss hides it: it moves by at most 0.02");
  const std::size_t praised = print_room(exhibits, Verdict::praised, "the loss praises it: it gets better");
  const std::size_t no_loss =
      print_room(exhibits, Verdict::no_loss, "there is no loss to look at: only a check can see it");
  const auto unseen = std::count_if(exhibits.begin(), exhibits.end(), [](const Exhibit& exhibit) {
    return exhibit.outcome.failed.empty() && !exhibit.outcome.crashed;
  });
  fmt::print("\nOf {} bugs, the loss shows {}, hides {} and praises {}; {} have none. Checks miss {}.\n", bugs.size(),
             shown, hidden, praised, no_loss, unseen);
  return 0;
}
