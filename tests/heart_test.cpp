// src/microgpt.cpp as a program of its own, compiled alone.
#include <doctest/doctest.h>

#include <filesystem>

#include "program.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

/// Runs it. It lies beside the program.
Run heart(Words arguments) {
  const char* program = ::getenv("MICROGPT_PROGRAM");
  if (program == nullptr) throw std::runtime_error("set MICROGPT_PROGRAM, to build/release/microgpt for instance");
  arguments.insert(arguments.begin(), std::filesystem::path(program).replace_filename("heart").string());
  return run(arguments);
}

/// What the published program printed, losses with four digits.
Words golden(const std::string& name) {
  Words expected = lines(contents("tests/golden/microgpt/" + name + ".txt"));
  for (std::string& line : expected) {
    if (line.starts_with("step")) line.erase(line.rfind(" | "));
  }
  return expected;
}

TEST_CASE("the heart prints what the published programs print") {
  CHECK(lines(heart({"data/names.txt"}).out) == golden("gist_builtin"));
  CHECK(lines(heart({"data/names.txt", "walkthrough"}).out) == golden("walkthrough_builtin"));
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
