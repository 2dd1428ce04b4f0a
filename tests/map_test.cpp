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
#include "microgpt.h"

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

TEST_CASE("the map in src/microgpt.h names every header there is, and no other") {
  std::set<std::string> there;
  for (const fs::path& name : sources()) {
    if (name.extension() == ".h" && name != "microgpt.h") there.insert(name.generic_string());
  }
  const std::vector<std::string> map = includes("src/microgpt.h");
  CHECK(std::set<std::string>(map.begin(), map.end()) == there);
  CHECK(map.size() == there.size());
}

TEST_CASE("the map can be read from top to bottom: every header stands after those it includes") {
  std::set<std::string> read;
  for (const std::string& header : includes("src/microgpt.h")) {
    for (const std::string& other : includes("src/" + header)) {
      INFO(header << " includes " << other);
      CHECK(read.contains(other));
    }
    read.insert(header);
  }
}

TEST_CASE("the whole algorithm needs only base and scalar, and fits on a few pages") {
  for (const std::string& name : includes("src/microgpt.cpp")) CHECK((room(name) == "base" || room(name) == "scalar"));
  auto lines = [](const std::string& file) {
    const std::string text = microgpt::read_file(file);
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(lines("src/microgpt.cpp") <= 200);
  CHECK(lines("src/scalar/value.h") + lines("src/scalar/value.cpp") <= 350);
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
  const std::map<std::string, int> floor{{"base", 0}, {"scalar", 1},  {"tensor", 1}, {"train", 2},
                                         {"draw", 2}, {"inspect", 3}, {"lesson", 4}, {"program", 4}};
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
