// How many numbers one vector instruction handles. Code that only pads memory for vectors includes this and not simd.h.
#pragma once

#include <cstddef>

namespace microgpt {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
inline constexpr std::size_t vector_registers = 32;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
inline constexpr std::size_t vector_registers = 16;
#elif defined(__ARM_NEON)
inline constexpr std::size_t vector_bytes = 16;
inline constexpr std::size_t vector_registers = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
inline constexpr std::size_t vector_registers = 16;
#endif

/// How many numbers of type T a vector holds.
template <class T>
inline constexpr std::size_t lanes = vector_bytes / sizeof(T);

/// n rounded up to whole vectors.
template <class T>
constexpr std::size_t padded(std::size_t n) {
  return (n + lanes<T> - 1) / lanes<T> * lanes<T>;
}

}  // namespace microgpt
