// Which keys a query sees, and when it hears of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/mask_pattern.h"
#include "base/python_random.h"
#include "lesson/draft_gpt.h"

namespace lesson19 {

using namespace microgpt;

using Visible = std::vector<std::vector<std::size_t>>;  // of each query, the keys that it sees, in increasing order
using Layers = std::vector<std::vector<std::size_t>>;   // of each query, a number for each key up to its own
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// The keys that each of T queries sees.
inline Visible visible_keys(const MaskPattern& p, std::size_t T) {
  PythonRandom random;
  Visible keys(T);
  for (std::size_t t = 0; t < T; t++) {
    std::vector<std::size_t> others;
    for (std::size_t s = 0; s <= t; s++) {  // no s above t: that is the future
      const bool near = p.block > 0 ? s / p.block == t / p.block : t - s < p.window;
      const bool far = s < p.n_global || (p.stride > 0 && (t - s) % p.stride == 0);
      (near || far ? keys[t] : others).push_back(s);
    }
    random.shuffle(others);
    others.resize(std::min(others.size(), p.n_random));
    keys[t].insert(keys[t].end(), others.begin(), others.end());
    std::sort(keys[t].begin(), keys[t].end());
  }
  return keys;
}

/// In which layer position t hears of position s, [t][s]: 1 if it sees it. What u has heard of, those that see u hear
/// of one layer later.
inline Layers heard_in_layer(const Visible& keys) {
  Layers layers;
  for (std::size_t t = 0; t < keys.size(); t++) {
    layers.emplace_back(t + 1, never);
    for (const std::size_t u : keys[t]) {
      for (std::size_t s = 0; s < u && u < t; s++) {
        if (layers[u][s] != never) layers[t][s] = std::min(layers[t][s], layers[u][s] + 1);
      }
    }
    for (const std::size_t u : keys[t]) layers[t][u] = 1;
  }
  return layers;
}

}  // namespace lesson19
