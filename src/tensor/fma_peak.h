// How fast this processor can be at best.
#pragma once

#include <cstddef>

namespace microgpt {

/// GFLOP/s of fused multiply-adds on registers alone, two operations each, on so many threads at once: nothing that
/// reads memory can be faster. T is float or double. Takes about 0.1 s.
template <class T>
double measure_fma_peak(std::size_t threads);

}  // namespace microgpt
