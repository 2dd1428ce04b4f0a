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

/// The names that a source file includes in quotes, in its order.
std::vector<std::string> includes(const fs::path& file) {
  std::vector<std::string> names;
  std::istringstream text(microgpt::read_file(file));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::size_t start = line.find('"') + 1;
    names.push_back(line.substr(start, line.find('"', start) - start));
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

TEST_CASE("the heart is one file of at most 350 lines on base") {
  for (const std::string& name : includes("src/microgpt.cpp")) CHECK(room(name) == "base");
  const std::string text = microgpt::read_file("src/microgpt.cpp");
  CHECK(std::count(text.begin(), text.end(), '\n') <= 350);
}

TEST_CASE("only the program and the lessons know options: below them no message names one") {
  const std::regex option("^[^/]*\"[^\"]*--[a-z]");
  for (const fs::path& name : sources()) {
    if (room(name) == "program" || room(name) == "lesson") continue;
    std::istringstream text(microgpt::read_file("src" / name));
    for (std::string line; std::getline(text, line);) {
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
