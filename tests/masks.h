// Masks with and without a pattern.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/mask.h"

namespace microgpt {

/// Whether query t sees key s: about every other one, without any pattern.
inline bool irregular(std::size_t t, std::size_t s) { return (t * t + 3 * s * s + t * s) % 7 < 3; }

inline Mask mask_of(const std::string& spec, std::size_t length) { return Mask::of(parse_mask_pattern(spec), length); }

/// Every kind of pattern without random keys, with numbers around those of vectors and of blocks.
inline std::vector<std::string> regular_specs() {
  std::vector<std::string> specs{"full"};
  for (const int a : {1, 2, 3, 15, 16, 17, 63, 64, 65, 130, 1000}) {
    specs.push_back(fmt::format("local:{}", a));
    specs.push_back(fmt::format("block:{}", a));
    for (const int b : {1, 3, 4, 5, 16, 64, 100}) {
      specs.push_back(fmt::format("strided:{}:{}", a, b));
      specs.push_back(fmt::format("global:{}:{}", a, b));
    }
  }
  return specs;
}

inline std::vector<std::string> random_specs() {
  return {"random:0",         "random:1",         "random:5",        "random:30",
          "random:1000",      "bigbird:1:0:1",    "bigbird:5:1:3",   "bigbird:64:64:2",
          "bigbird:17:70:20", "bigbird:3:2:1000", "bigbird:1000:1:1"};
}

inline std::vector<std::string> all_specs() {
  std::vector<std::string> specs = regular_specs();
  for (const std::string& spec : random_specs()) specs.push_back(spec);
  return specs;
}

}  // namespace microgpt
