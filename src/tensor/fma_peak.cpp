#include "tensor/fma_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "tensor/simd.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

constexpr std::size_t chains = 12;  // that do not wait for one another: more than an FMA takes cycles, twice

/// So many FMAs of each chain. Returns what keeps the compiler from leaving them out.
template <class T>
T run_chains(std::size_t count) {
  Vector<T> x[chains];
  for (std::size_t i = 0; i < chains; i++) x[i] = broadcast(static_cast<T>(i));
  const Vector<T> a = broadcast(static_cast<T>(0.999));
  const Vector<T> b = broadcast(static_cast<T>(0.001));
  for (std::size_t n = 0; n < count; n++) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < chains; i++) x[i] = x[i] * a + b;
  }
  Vector<T> all{};
  for (std::size_t i = 0; i < chains; i++) all += x[i];
  return sum<T>(all);
}

}  // namespace

template <class T>
double measure_fma_peak(std::size_t threads) {
  constexpr std::size_t count = 1'000'000;
  constexpr double operations = 2.0 * count * chains * lanes<T>;
  double best = 0;
  std::atomic<T> used = 0;
  for (int round = 0; round < 20; round++) {
    const auto start = std::chrono::steady_clock::now();
    parallel(threads, [&](std::size_t) { used = run_chains<T>(count); });
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::max(best, operations * static_cast<double>(threads) / spent.count() / 1e9);
  }
  return best;
}

template double measure_fma_peak<float>(std::size_t threads);
template double measure_fma_peak<double>(std::size_t threads);

}  // namespace microgpt
