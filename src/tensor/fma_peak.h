// How fast this processor can be at best.
#pragma once

#include <cstddef>

namespace microgpt {

inline constexpr std::size_t fma_chains = 12;  // that do not wait for one another: more than an FMA takes cycles, twice

/// x = 0.999 x + 0.0007, `count` times, in fma_chains chains that begin with start, start + 1, ... in every lane of a
/// vector. Returns the sum of all lanes of all chains. T is float or double.
template <class T>
T run_fma_chains(T start, std::size_t count);

/// GFLOP/s of fused multiply-adds on registers alone, two operations each, on so many threads at once: nothing that
/// reads memory can be faster. T is float or double. Takes about 0.1 s.
template <class T>
double measure_fma_peak(std::size_t threads);

}  // namespace microgpt
