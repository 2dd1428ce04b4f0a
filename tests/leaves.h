// Numbers into Values and back.
#pragma once

#include <span>
#include <vector>

#include "scalar/values.h"

namespace microgpt {

inline Values leaves(std::span<const double> numbers) {
  return Values(numbers.size(), [&](std::size_t i) { return numbers[i]; });
}

inline std::vector<double> data_of(Values x) {
  std::vector<double> data;
  for (const Value value : x) data.push_back(value.data());
  return data;
}

inline std::vector<double> grads_of(Values x) {
  std::vector<double> grads;
  for (const Value value : x) grads.push_back(value.grad());
  return grads;
}

}  // namespace microgpt
