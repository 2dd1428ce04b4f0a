// What the program prints, taken apart.
#pragma once

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "run_program.h"

namespace microgpt {

/// Standard output of a run that must succeed and leave standard error empty.
inline std::string output(const Words& arguments) {
  const Run r = microgpt(arguments);
  std::string command = "microgpt";
  for (const std::string& word : arguments) command += " " + word;
  INFO(command);
  CHECK(r.exit_code == 0);
  CHECK(r.err == "");
  return r.out;
}

inline Words lines_that_begin(const std::string& with, const std::string& text) {
  Words found;
  for (const std::string& line : lines(text)) {
    if (line.starts_with(with)) found.push_back(line);
  }
  return found;
}

/// What stands behind `label` on the one line that begins with it.
inline std::string behind(const std::string& label, const std::string& text) {
  const Words found = lines_that_begin(label, text);
  REQUIRE_MESSAGE(found.size() == 1, label);
  return found[0].substr(label.size());
}

/// The lines of `text` without the one that tells of threads.
inline Words without_threads(const std::string& text) {
  Words all = lines(text);
  std::erase_if(all, [](const std::string& line) { return line.starts_with("threads: "); });
  return all;
}

/// The names of the lines "sample  1: kamon".
inline Words names(const std::string& text) {
  Words found = lines_that_begin("sample", text);
  for (std::string& line : found) line.erase(0, line.find(": ") + 2);
  return found;
}

/// The losses of the lines "step    1 / 1000 | loss 3.3660".
inline std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  for (const std::string& line : lines_that_begin("step", text)) {
    found.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  return found;
}

inline double mean(const double* first, const double* last) {
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

/// A directory with names, where models are trained.
struct Folder : NamesFolder {
  using NamesFolder::NamesFolder;
  /// The path of a model that was trained so.
  std::string trained(const Words& how) const {
    output(train(how + Words{"--save", file("model")}));
    return file("model");
  }
};

}  // namespace microgpt
