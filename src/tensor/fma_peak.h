// The highest speed this processor can reach.
#pragma once

#include <cstddef>

namespace microgpt {

inline constexpr std::size_t fma_chains = 12;  // independent, and enough to hide the latency of an FMA on two units

/// What is timed: x = 0.999 x + 0.0007, `count` times, in fma_chains chains that start from start, start + 1, ... in
/// every lane of a vector. Returns the sum of all lanes of all chains. T is float or double.
template <class T>
T run_fma_chains(T start, std::size_t count);

/// GFLOP/s of fused multiply-adds on registers alone, on `threads` threads at once. Each counts as two operations. Code
/// that reads memory cannot be faster. T is float or double. Takes about 0.1 s.
template <class T>
double measure_fma_peak(std::size_t threads);

}  // namespace microgpt
