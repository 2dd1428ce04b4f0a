// What the published programs printed, to be printed again: see golden/README.md.
#pragma once

#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/parameters.h"

namespace microgpt {

struct GoldenRun {
  std::vector<double> losses;
  std::vector<std::string> names;
  std::vector<Parameters::Shape> shapes;
  std::vector<double> parameters;  // after training, in the order of the shapes
};

/// Reads golden/microgpt/`name`.txt and .params.txt.
inline GoldenRun read_golden_run(const std::string& name) {
  GoldenRun golden;
  std::string line;
  std::ifstream printed("tests/golden/microgpt/" + name + ".txt");
  while (std::getline(printed, line)) {  // "step    1 / 1000 | loss 3.3660 | 3.366...", later "sample  1: kamon"
    if (line.starts_with("step")) golden.losses.push_back(std::strtod(line.c_str() + line.rfind('|') + 1, nullptr));
    if (line.starts_with("sample")) golden.names.push_back(line.substr(line.find(':') + 2));
  }
  std::ifstream params("tests/golden/microgpt/" + name + ".params.txt");
  for (Parameters::Shape shape; params >> shape.name >> shape.rows >> shape.cols;) {
    golden.shapes.push_back(shape);
    std::string number;
    for (std::size_t i = 0; i < shape.rows * shape.cols && params >> number; i++) {
      golden.parameters.push_back(std::strtod(number.c_str(), nullptr));
    }
  }
  return golden;
}

}  // namespace microgpt
