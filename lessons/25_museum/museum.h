// The exhibits: every patch in lessons/*/break, and what the lesson's program prints with it.
#pragma once

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
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

struct Output {
  std::string text;
  int status;
};

/// What a command prints, and how it ended.
inline Output output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>/dev/null </dev/null").c_str(), "r");
  if (pipe == nullptr) throw microgpt::Error("cannot run " + command);
  Output output{};
  std::array<char, 4096> bytes{};
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    output.text.append(bytes.data(), count);
  }
  output.status = ::pclose(pipe);
  return output;
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

/// Runs the release build of the lesson's program with the bug. The right loss stands in expected.txt.
inline Outcome run(const Bug& bug) {
  const std::string expected = microgpt::read_file("lessons/" + bug.lesson + "/expected.txt");
  const std::string program = fmt::format("build/release/lessons/{}/break/{}/main", bug.lesson, bug.name);
  if (!std::filesystem::exists(program)) throw microgpt::Error("there is no " + program + "; use make lesson-25");
  const Output output = output_of("PICTURES=build/pictures/broken " + program);
  if (output.text == expected) throw microgpt::Error(bug.lesson + ": the break " + bug.name + " changes nothing");
  Outcome outcome{watched(expected, bug.watch), watched(output.text, bug.watch), {}, output.status != 0};
  if (!bug.watch.empty() && !outcome.right) throw microgpt::Error(bug.lesson + " does not print: " + bug.watch);
  std::istringstream lines(output.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("check failed: ")) outcome.failed.push_back(line.substr(14));
  }
  outcome.crashed = output.status != 0 && outcome.failed.empty();
  if (outcome.crashed) outcome.broken.reset();
  return outcome;
}

}  // namespace lesson25
