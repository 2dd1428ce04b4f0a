// a * b + c, rounded once if the processor has an instruction for it. The compiler itself must not fuse anything
// (-ffp-contract=off): it would fuse a sum in one tile and not in another, and the bits of a result would depend on how
// the work was cut.
#pragma once

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace microgpt {

/// Whether multiply_add() rounds once. It does so for all types or for none.
inline constexpr bool multiply_add_is_fused =
#if defined(__FMA__) || defined(__aarch64__)
    true;
#else
    false;
#endif

// Overloads for all vector types of 16 bytes and more. Other sizes have none, so nothing can be rounded differently by
// accident.
#if defined(__FMA__)

inline __m128 multiply_add(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
inline __m128d multiply_add(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d multiply_add(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#if defined(__AVX512F__)
inline __m512 multiply_add(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512d multiply_add(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#endif

#elif defined(__aarch64__)

inline float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
inline float64x2_t multiply_add(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }

#else

    template <class Vector>
    Vector multiply_add(Vector a, Vector b, Vector c) {
  return a * b + c;
}

#endif

}  // namespace microgpt
