#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "base/file.h"
#include "microgpt.h"

namespace fs = std::filesystem;

TEST_CASE("the map in src/microgpt.h names every header there is, and no other") {
  std::set<std::string> on_the_map;
  std::istringstream map(microgpt::read_file("src/microgpt.h"));
  for (std::string line; std::getline(map, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::size_t start = line.find('"') + 1;
    on_the_map.insert(line.substr(start, line.find('"', start) - start));
  }
  std::set<std::string> there;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("src")) {
    const fs::path name = fs::relative(entry.path(), "src");
    if (name.extension() == ".h" && name != "microgpt.h") there.insert(name.generic_string());
  }
  CHECK(on_the_map == there);
}
