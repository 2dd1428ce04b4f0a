// src/microgpt.cpp as a program of its own, compiled alone.
#include <filesystem>

#include "program.h"

namespace microgpt {
namespace {

/// Runs it. It lies beside the program.
Run heart(const Words& arguments) {
  Words command = microgpt_command(arguments);
  command[0] = std::filesystem::path(command[0]).replace_filename("heart").string();
  return run(command);
}

TEST_CASE("the heart prints what the published programs print") {
  CHECK(lines(heart({"data/names.txt"}).out) == golden_lines("gist_builtin", false));
  CHECK(lines(heart({"data/names.txt", "walkthrough"}).out) == golden_lines("walkthrough_builtin", false));
}

TEST_CASE("the heart strips lines and skips blank ones, and refuses a file without names in one line") {
  const TemporaryDirectory folder;
  const std::string clean = (folder / "clean").string(), messy = (folder / "messy").string();
  write_contents(clean, "anna\nbob lee\n");
  write_contents(messy, "\r\n  anna \t\r\n\n \t\nbob lee  ");
  CHECK(heart({messy}).out == heart({clean}).out);
  write_contents(messy, " \n\n");
  for (const std::string& path : {messy, (folder / "missing").string()}) {
    const Run refused = heart({path});
    CHECK(refused.exit_code == 1);
    CHECK(refused.out == "");
    CHECK(refused.err == "no names in '" + path + "'; give a text file with one name per line\n");
  }
}

}  // namespace
}  // namespace microgpt
