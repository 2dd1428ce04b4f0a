#include "tensor/fma_peak.h"

#include <algorithm>
#include <chrono>

#include "tensor/simd.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

constexpr std::size_t fma_chains = 12;  // independent, and enough to hide the latency of an FMA on two units

// x = 0.999 x + 0.0007, `count` times, in every chain. `start` comes from the caller, so that the compiler cannot
// compute the chains at compile time.
template <class T>
T run_fma_chains(T start, std::size_t count) {
  Vector<T> x[fma_chains];
  for (std::size_t i = 0; i < fma_chains; i++) x[i] = broadcast(start + static_cast<T>(i));
  const Vector<T> a = broadcast(static_cast<T>(0.999));
  const Vector<T> b = broadcast(static_cast<T>(0.0007));
  for (std::size_t n = 0; n < count; n++) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < fma_chains; i++) x[i] = multiply_add(x[i], a, b);
  }
  Vector<T> all{};
  for (std::size_t i = 0; i < fma_chains; i++) all += x[i];
  return sum<T>(all);
}

}  // namespace

template <class T>
double measure_fma_peak(std::size_t threads) {
  constexpr std::size_t count = 1'000'000;
  constexpr double operations = 2.0 * count * fma_chains * lanes<T>;
  volatile T start = 1;  // volatile, so that the compiler cannot skip a round
  double best = 0;
  for (int round = 0; round < 20; round++) {
    const auto begin = std::chrono::steady_clock::now();
    parallel(threads, [&](std::size_t) {
      volatile T result = run_fma_chains<T>(start, count);
      static_cast<void>(result);
    });
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::max(best, operations * static_cast<double>(threads) / spent.count() / 1e9);
  }
  return best;
}

template double measure_fma_peak<float>(std::size_t threads);
template double measure_fma_peak<double>(std::size_t threads);

}  // namespace microgpt
