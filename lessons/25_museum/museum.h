// The exhibits: what every patch in lessons/*/break did when it ran. `make museum` runs them all again.
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "base/error.h"

namespace microgpt {

/// A mistake, lessons/08_multi_head/break/same-slice.patch, and what happened to the program with it.
struct Bug {
  std::string lesson, name;             // 08_multi_head, same-slice
  std::optional<double> right, broken;  // the last loss without and with it, if the program came so far
  bool crashed;
  std::size_t num_failed;  // how many checks of the lesson fail
  std::string check;       // what the first of them claims
  std::string sentence;    // what the mistake is
};

inline std::optional<double> loss(const std::string& text) {
  if (text == "-" || text == "crash") return {};
  return std::strtod(text.c_str(), nullptr);
}

/// All bugs, in the order of the lessons: the lines of seen.tsv, but for its heading.
inline std::vector<Bug> all_bugs() {
  const std::string path = "lessons/25_museum/seen.tsv";
  std::ifstream file(path);
  std::vector<Bug> bugs;
  std::string lesson, name, right, broken, num_failed, check, sentence;
  std::getline(file, sentence);
  while (std::getline(file, lesson, '\t')) {
    for (std::string* field : {&name, &right, &broken, &num_failed, &check}) std::getline(file, *field, '\t');
    std::getline(file, sentence);
    bugs.push_back(
        {lesson, name, loss(right), loss(broken), broken == "crash", std::stoul(num_failed), check, sentence});
  }
  if (bugs.empty()) throw Error("cannot read " + path);
  return bugs;
}

}  // namespace microgpt
