// How long the processor works on something.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>

namespace microgpt {

/// The processor time of `work` on one thread, in milliseconds: the shortest of some runs. While other programs have
/// the processor, this clock stands still.
inline double processor_time(const std::function<void()>& work) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const std::clock_t begin = std::clock(); std::clock() - begin < CLOCKS_PER_SEC / 2;) {
    const std::clock_t start = std::clock();
    work();
    shortest = std::min(shortest, static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC);
  }
  return shortest;
}

}  // namespace microgpt
