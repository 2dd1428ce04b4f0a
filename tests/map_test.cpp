#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/file.h"
#include "microgpt.h"

namespace fs = std::filesystem;

namespace {

/// The names that a source file includes in quotes.
std::set<std::string> includes(const fs::path& file) {
  std::set<std::string> names;
  std::istringstream text(microgpt::read_file(file));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::size_t start = line.find('"') + 1;
    names.insert(line.substr(start, line.find('"', start) - start));
  }
  return names;
}

std::string room(const fs::path& name) { return name.begin()->string(); }

}  // namespace

TEST_CASE("the map in src/microgpt.h names every header there is, and no other") {
  std::set<std::string> there;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("src")) {
    const fs::path name = fs::relative(entry.path(), "src");
    if (name.extension() == ".h" && name != "microgpt.h") there.insert(name.generic_string());
  }
  CHECK(includes("src/microgpt.h") == there);
}

TEST_CASE("a room of src takes only from rooms below it") {
  const std::map<std::string, int> floor{{"base", 0},  {"scalar", 1},  {"tensor", 1}, {"train", 2},
                                         {"debug", 2}, {"inspect", 3}, {"lesson", 4}, {"program", 4}};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("src")) {
    const fs::path name = fs::relative(entry.path(), "src");
    if ((name.extension() != ".h" && name.extension() != ".cpp") || !name.has_parent_path()) continue;
    for (const std::string& other : includes(entry.path())) {
      INFO(name.string() << " includes " << other);
      CHECK((room(name) == room(other) || floor.at(room(other)) < floor.at(room(name))));
    }
  }
}
