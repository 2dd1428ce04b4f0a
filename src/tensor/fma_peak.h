// The highest speed this processor can reach.
#pragma once

#include <cstddef>

namespace microgpt {

/// GFLOP/s of fused multiply-adds on registers alone, on `threads` threads at once. Each counts as two operations. Code
/// that reads memory cannot be faster. T is float or double. Takes about 0.1 s.
template <class T>
double measure_fma_peak(std::size_t threads);

}  // namespace microgpt
