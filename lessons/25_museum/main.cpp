// Lesson 25: a museum of bugs. Every mistake of every lesson was built and run. What does its loss look like beside the
// right one, and which check sees the mistake?
#include "show.h"

using namespace microgpt;

/// A difference of losses that nobody would notice in a curve: some two or three standard errors of a held-out loss.
constexpr double unnoticed = 0.02;

enum class Verdict { shown, hidden, praised, no_loss };

/// What the loss says about the bug.
Verdict verdict(const Bug& bug) {
  if (bug.crashed) return Verdict::shown;
  if (!bug.right) return Verdict::no_loss;
  if (!bug.broken || !std::isfinite(*bug.broken)) return Verdict::shown;
  const double difference = *bug.broken - *bug.right;
  return difference > unnoticed ? Verdict::shown : difference < -unnoticed ? Verdict::praised : Verdict::hidden;
}

/// Prints the bugs with this verdict, and returns how many they are.
std::size_t print_room(const std::vector<Bug>& bugs, Verdict which, const char* title) {
  fmt::print("\n--- {} ---\n", title);
  std::size_t count = 0;
  for (const Bug& bug : bugs) {
    if (verdict(bug) != which) continue;
    count++;
    print(bug);  // stop: bug
  }
  return count;
}

int main() try {
  const std::vector<Bug> bugs = all_bugs();
  fmt::print("{} bugs, each a patch of a few lines. Every one has been run.\n", bugs.size());
  const char* const folder = std::getenv("PICTURES");
  picture(bugs, unnoticed).write(std::string(folder == nullptr ? "build/pictures" : folder) + "/25_museum.svg");

  fmt::print("\nlesson           bug                right  with it  the first check that sees it\n");
  const std::size_t shown = print_room(bugs, Verdict::shown, "the loss shows it: it is worse, or there is none");
  const std::size_t hidden = print_room(bugs, Verdict::hidden, "the loss hides it: it moves by at most 0.02");
  const std::size_t praised = print_room(bugs, Verdict::praised, "the loss praises it: it gets better");
  const std::size_t no_loss =
      print_room(bugs, Verdict::no_loss, "there is no loss to look at: only a check can see it");
  const auto unseen =
      std::count_if(bugs.begin(), bugs.end(), [](const Bug& bug) { return bug.num_failed == 0 && !bug.crashed; });
  fmt::print("\nOf {} bugs, the loss shows {}, hides {} and praises {}; {} have none. Checks miss {}.\n", bugs.size(),
             shown, hidden, praised, no_loss, unseen);
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "lesson: {}\n", error.what());
  return 1;
}
