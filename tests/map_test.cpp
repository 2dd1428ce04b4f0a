#include <doctest/doctest.h>

#include <algorithm>
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

std::string room(const fs::path& name) { return name.begin()->string(); }

}  // namespace

TEST_CASE("the heart is one file on base, of at most 350 lines, 25 of them longer than 100 columns") {
  const fs::path heart = "src/microgpt.cpp";
  for (const std::string& name : includes(heart)) CHECK(room(name) == "base");
  const std::vector<std::string> text = lines(heart);
  CHECK(text.size() <= 350);
  CHECK(std::count_if(text.begin(), text.end(), [](const std::string& line) { return line.size() > 100; }) <= 25);
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
  const std::map<std::string, int> floor{{"base", 0}, {"microgpt.h", 1}, {"tensor", 1}, {"scalar", 2}, {"train", 3},
                                         {"draw", 3}, {"inspect", 4},    {"lesson", 5}, {"program", 5}};
  for (const fs::path& name : sources()) {
    if (!name.has_parent_path()) continue;
    for (const std::string& other : includes("src" / name)) {
      INFO(name.string() << " includes " << other);
      CHECK((room(name) == room(other) || floor.at(room(other)) < floor.at(room(name))));
    }
  }
}

TEST_CASE("VS Code offers every lesson") {
  const std::string offered = microgpt::read_file(".vscode/launch.json");
  for (const fs::directory_entry& entry : fs::directory_iterator("lessons")) {
    if (!fs::exists(entry.path() / "main.cpp")) continue;
    INFO(entry.path().string());
    CHECK(offered.find('"' + entry.path().filename().string() + '"') != std::string::npos);
  }
}
