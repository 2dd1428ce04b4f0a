// What the draft is made of: lists of keys, and a head of attention that visits them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "lesson/counted.h"
#include "lesson/one_head.h"
#include "lesson/softmax.h"

namespace lesson15 {

using namespace microgpt;

using Keys = std::vector<std::vector<std::size_t>>;    // of each query, some keys in increasing order
using Layers = std::vector<std::vector<std::size_t>>;  // of each query, a number for each key up to its own
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// Is s one of these keys, which are in increasing order?
inline bool is_among(const std::vector<std::size_t>& keys, std::size_t s) {
  return std::binary_search(keys.begin(), keys.end(), s);
}

/// One head of attention in which query t meets the keys visited[t] and no other. The mask hides some of these.
struct Draft : OneHead<double> {
  Draft(const Keys& visited_, const std::optional<Keys>& mask_)
      : OneHead(visited_.size(), 16), visited(visited_), mask(mask_) {}

  Keys visited;
  std::optional<Keys> mask;                  // which keys a query sees
  std::vector<std::vector<double>> weights;  // of query t: a number for each of visited[t]
};

/// Visits what is seen.
inline Draft skipping(const Keys& seen) { return {seen, {}}; }

/// Visits all, and hides what is not seen.
inline Draft masking(const Keys& seen) {
  std::vector<std::size_t> all(seen.size());
  std::iota(all.begin(), all.end(), 0);
  return {Keys(seen.size(), all), seen};
}

}  // namespace lesson15
