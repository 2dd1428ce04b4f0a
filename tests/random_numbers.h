// Random numbers that are the same on every machine.
#pragma once

#include <vector>

#include "base/python_random.h"

namespace microgpt {

inline double uniform(PythonRandom& random, double low, double high) { return low + (high - low) * random.random(); }

inline std::vector<double> uniform(PythonRandom& random, std::size_t n, double low, double high) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = uniform(random, low, high);
  return numbers;
}

}  // namespace microgpt
