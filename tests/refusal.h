// What the program refuses, and how it says so.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "run_program.h"

namespace microgpt {

/// "2: --steps is '0'; ...": the exit code and the one line, or what is wrong with them.
inline std::string complaint(const Run& r) {
  const Words complaints = lines(r.err);
  if (complaints.size() != 1 || !r.err.ends_with("\n")) return "not one line: " + r.err;
  auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const bool printable = std::none_of(complaints[0].begin(), complaints[0].end(), is_control);
  if (!printable || !complaints[0].starts_with("microgpt: ")) return "not as it should be: " + complaints[0];
  return std::to_string(r.exit_code) + complaints[0].substr(complaints[0].find(": "));
}

/// The same of a run that must not print anything else.
inline std::string refusal(const Words& arguments) {
  const Run r = microgpt(arguments);
  return r.out.empty() ? complaint(r) : "printed something: " + r.out;
}

/// Runs a script of the shell in which "$0" is the program and "$@" the arguments.
inline Run in_shell(const std::string& script, const Words& arguments) {
  return run(Words{"/bin/sh", "-c", script, ::getenv("MICROGPT_PROGRAM")} + arguments);
}

/// A directory with names, and a trained model.
struct ModelFolder : NamesFolder {
  ModelFolder() {
    const Run r = microgpt(train({"--steps", "20", "--block-size", "8", "--save", model}));
    REQUIRE(complaint(r) == "not one line: ");
    bytes = contents(model);
  }
  /// The path of a new file.
  std::string written(const std::string& name, const std::string& text) const {
    write_contents(path / name, text);
    return file(name);
  }
  /// The names and the model are what they were, and nothing else is there.
  bool untouched() const { return count() == 2 && contents(model) == bytes && contents(names) == few_names; }

  std::string model = file("model");
  std::string bytes;  // of the model
};

/// The address sanitizer needs all the addresses itself, so there the memory of the program cannot be limited.
inline const bool sanitized =
    std::string(::getenv("MICROGPT_PROGRAM") ? ::getenv("MICROGPT_PROGRAM") : "").find("/asan/") != std::string::npos;

}  // namespace microgpt
