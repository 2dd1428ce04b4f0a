// What multiply_add does in one lane.
#pragma once

#include <cmath>

#include "tensor/simd.h"

namespace microgpt {

/// a * b + c, rounded as multiply_add() rounds it on this processor.
template <class T>
T fused(T a, T b, T c) {
  return multiply_add_is_fused ? std::fma(a, b, c) : a * b + c;
}

}  // namespace microgpt
