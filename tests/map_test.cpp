#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines(const fs::path& file) {
  std::vector<std::string> found;
  std::istringstream text(microgpt::read_file(file));
  for (std::string line; std::getline(text, line);) found.push_back(line);
  return found;
}

/// The names that a source file includes in quotes, in its order.
std::vector<std::string> includes(const fs::path& file) {
  static const std::regex include("#include \"(.*)\".*");
  std::vector<std::string> names;
  std::smatch match;
  for (const std::string& line : lines(file)) {
    if (std::regex_match(line, match, include)) names.push_back(match[1]);
  }
  return names;
}

/// All files of C++ in src, as its files include them.
std::vector<fs::path> sources() {
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("src")) {
    const fs::path name = fs::relative(entry.path(), "src");
    if (name.extension() == ".h" || name.extension() == ".cpp") names.push_back(name);
  }
  return names;
}

/// The folders of the lessons, in their order: 01_bigram and so on.
std::set<std::string> lessons() {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator("lessons")) {
    const std::string name = entry.path().filename().string();
    if (fs::exists(entry.path() / "main.cpp")) names.insert(name);
  }
  return names;
}

/// All that may refer to a lesson.
std::vector<fs::path> texts() {
  std::vector<fs::path> names{"Makefile", "README.md", ".vscode/launch.json"};
  for (const char* folder : {"lessons", "src", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const bool read = entry.is_regular_file() && !entry.path().string().starts_with("tests/golden/");
      if (read && entry.path().extension() != ".webp") names.push_back(entry.path());
    }
  }
  return names;
}

std::string room(const fs::path& name) { return name.begin()->string(); }

}  // namespace

TEST_CASE("the house stays small: a change that adds lines takes others away") {
  const std::set<std::string> code{".cpp", ".h", ".py", ".js", ".mjs", ".css", ".html", ".sh"};
  auto total = [&](const char* folder) {
    std::size_t n = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const bool is_golden = entry.path().string().starts_with("tests/golden/");
      if (!is_golden && code.contains(entry.path().extension().string())) n += lines(entry.path()).size();
    }
    return n;
  };
  CHECK(total("src") <= 20'000);
  CHECK(total("tests") <= 12'500);
  CHECK(total("lessons") <= 14'000);
  CHECK(lines("Makefile").size() <= 325);
  CHECK(lines("README.md").size() <= 252);
}

TEST_CASE("the heart stands on base alone") {
  for (const std::string& name : includes("src/microgpt.cpp")) CHECK(room(name) == "base");
}

TEST_CASE("only the program and the lessons know options: below them no message names one") {
  const std::regex option("^[^/]*\"[^\"]*--[a-z]");
  for (const fs::path& name : sources()) {
    if (room(name) == "program" || room(name) == "lesson") continue;
    for (const std::string& line : lines("src" / name)) {
      INFO(name.string() << ": " << line);
      CHECK(!std::regex_search(line, option));
    }
  }
}

TEST_CASE("a room of src takes only from rooms below it") {
  const std::map<std::string, int> floor{{"base", 0},  {"microgpt.h", 1}, {"tensor", 1}, {"train", 3},  {"draw", 3},
                                         {"heads", 4}, {"page", 4},       {"lesson", 5}, {"program", 5}};
  for (const fs::path& name : sources()) {
    if (!name.has_parent_path()) continue;
    for (const std::string& other : includes("src" / name)) {
      INFO(name.string() << " includes " << other);
      CHECK((room(name) == room(other) || floor.at(room(other)) < floor.at(room(name))));
    }
  }
}

TEST_CASE("VS Code and the README offer every lesson") {
  const std::string offered = microgpt::read_file(".vscode/launch.json"), table = microgpt::read_file("README.md");
  for (const std::string& lesson : lessons()) {
    INFO(lesson);
    CHECK(offered.find('"' + lesson + '"') != std::string::npos);
    CHECK(table.find("| [" + lesson.substr(0, 2) + "](lessons/" + lesson + "/README.md) |") != std::string::npos);
  }
}

TEST_CASE("lessons are numbered from 01, without a gap, and every lesson and picture that a text names exists") {
  std::set<std::string> numbers, names;
  for (const std::string& lesson : lessons()) {
    CHECK(lesson.substr(0, 2) == (numbers.size() < 9 ? "0" : "") + std::to_string(numbers.size() + 1));
    numbers.insert(lesson.substr(0, 2));
    names.insert(lesson);
    for (const fs::directory_entry& entry : fs::directory_iterator("lessons/" + lesson)) {
      names.insert(entry.path().stem().string());
    }
  }
  const std::regex reference("[Ll]essons?[ -]?([0-9]{2})(?![0-9])|(^|[^0-9A-Za-z_.])([0-9]{2}_[a-z][a-z0-9_]*)");
  for (const fs::path& file : texts()) {
    std::istringstream text(microgpt::read_file(file));
    for (std::string line; std::getline(text, line);) {
      INFO(file.string() << ": " << line);
      for (std::sregex_iterator match(line.begin(), line.end(), reference), end; match != end; ++match) {
        CHECK(((*match)[1].matched ? numbers.contains(match->str(1)) : names.contains(match->str(3))));
      }
    }
  }
}
