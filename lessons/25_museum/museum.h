// The exhibits: every patch in lessons/*/break, and what the lesson's program prints with it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace lesson25 {

/// A mistake: lessons/08_multi_head/break/same-slice.patch.
struct Bug {
  std::string lesson;    // 08_multi_head
  std::string name;      // same-slice
  std::string sentence;  // what the mistake is: the first line of the patch
  std::string watch;     // a regular expression; its group is the loss to look at. Empty: there is none
};

/// What happened to the program.
struct Outcome {
  std::optional<double> right,
      broken;                       // the loss without and with the bug; none if there is none, or it was not reached
  std::vector<std::string> failed;  // what the lesson's checks claim, and what does not hold
  bool crashed = false;
};

/// The first line that begins with `start`, without it; empty if there is none.
inline std::string rest_of_line(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "";
}

/// All bugs, in the order of the lessons.
inline std::vector<Bug> all_bugs() {
  std::vector<Bug> bugs;
  for (const auto& lesson : std::filesystem::directory_iterator("lessons")) {
    if (!std::filesystem::is_directory(lesson.path() / "break")) continue;
    for (const auto& patch : std::filesystem::directory_iterator(lesson.path() / "break")) {
      const std::string text = microgpt::read_file(patch.path().string());
      bugs.push_back({lesson.path().filename().string(), patch.path().stem().string(), text.substr(0, text.find('\n')),
                      rest_of_line(text, "watch: ")});
    }
  }
  std::sort(bugs.begin(), bugs.end(),
            [](const Bug& a, const Bug& b) { return std::tie(a.lesson, a.name) < std::tie(b.lesson, b.name); });
  return bugs;
}

/// What the first group of the regular expression `watch` matches, as a number, in the last line that it matches.
inline std::optional<double> watched(const std::string& output, const std::string& watch) {
  std::optional<double> found;
  if (watch.empty()) return found;
  const std::regex regex(watch);
  std::istringstream lines(output);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, regex)) found = std::strtod(match.str(1).c_str(), nullptr);
  }
  return found;
}

/// What happened when the release build of the lesson's program ran with the bug; make has kept what it printed. The
/// right loss stands in expected.txt.
inline Outcome outcome_of(const Bug& bug) {
  const std::string expected = microgpt::read_file("lessons/" + bug.lesson + "/expected.txt");
  const std::string folder = fmt::format("build/release/lessons/{}/break/{}", bug.lesson, bug.name);
  if (!std::filesystem::exists(folder + "/code.txt")) {
    throw microgpt::Error(bug.lesson + ": " + bug.name + " has not been run; use make lesson-25");
  }
  const std::string printed = microgpt::read_file(folder + "/printed.txt");
  const bool ended_well = microgpt::read_file(folder + "/code.txt") == "0\n";
  if (printed == expected) throw microgpt::Error(bug.lesson + ": the break " + bug.name + " changes nothing");
  Outcome outcome{watched(expected, bug.watch), watched(printed, bug.watch), {}, false};
  if (!bug.watch.empty() && !outcome.right) throw microgpt::Error(bug.lesson + " does not print: " + bug.watch);
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("check failed: ")) outcome.failed.push_back(line.substr(14));
  }
  outcome.crashed = !ended_well && outcome.failed.empty();
  if (outcome.crashed) outcome.broken.reset();
  return outcome;
}

}  // namespace lesson25
