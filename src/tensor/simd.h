// Vectors of numbers that the processor handles at once: 16 floats with AVX-512, 8 with AVX, 4 elsewhere. These are the
// vector types of GCC and Clang: + - * work on all lanes, and the compiler chooses the processor's instructions.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensor/lanes.h"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace microgpt {

// --- a * b + c -------------------------------------------------------------------------------------------------------

// Rounded once, for all types, if the processor has instructions for it. The compiler itself must not fuse anything
// (-ffp-contract=off): it would fuse a sum in one tile and not in another, and the bits of a result would depend on how
// the work was cut.
//
// Overloads for all vector types of 16 bytes and more. Other sizes have none, so nothing can be rounded differently by
// accident.
#if defined(__FMA__)
inline constexpr bool multiply_add_is_fused = true;
inline __m128 multiply_add(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
inline __m128d multiply_add(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d multiply_add(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#if defined(__AVX512F__)
inline __m512 multiply_add(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512d multiply_add(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#endif
#elif defined(__aarch64__)
inline constexpr bool multiply_add_is_fused = true;
inline float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
inline float64x2_t multiply_add(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
#else
inline constexpr bool multiply_add_is_fused = false;
template <class Vector>
Vector multiply_add(Vector a, Vector b, Vector c) {
  return a * b + c;
}
#endif

// --- Vectors ---------------------------------------------------------------------------------------------------------

template <class T, std::size_t n>
struct VectorOf {
  typedef T type __attribute__((vector_size(n * sizeof(T))));
};

/// n numbers, one per lane.
template <class T, std::size_t n = lanes<T>>
using Vector = typename VectorOf<T, n>::type;

/// x in every lane. (Not Vector{} + x: 0 + -0 is 0, so -0 would lose its sign.)
template <class T>
Vector<T> broadcast(T x) {
  return [x]<std::size_t... lane>(std::index_sequence<lane...>) { return Vector<T>{(static_cast<void>(lane), x)...}; }
  (std::make_index_sequence<lanes<T>>());
}

template <class T>
Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class T, std::size_t n = lanes<T>>
void store(T* to, std::type_identity_t<Vector<T, n>> v) {
  std::memcpy(to, &v, sizeof v);
}

/// An unsigned whole number as wide as T.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// 0, 1, 2, ...
template <class T>
inline constexpr Vector<Unsigned<T>> lane_numbers = [
]<Unsigned<T>... lane>(std::integer_sequence<Unsigned<T>, lane...>) {
  return Vector<Unsigned<T>>{lane...};
}
(std::make_integer_sequence<Unsigned<T>, lanes<T>>());

/// The first n numbers, and `rest` in the other lanes. Reads no memory beyond them. AVX has an instruction for this.
template <class T>
Vector<T> load(const T* from, std::size_t n, T rest = 0) {
  const auto is_first = lane_numbers<T> < static_cast<Unsigned<T>>(n);
  Vector<T> v{};
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    v = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), from);
  } else {
    v = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1), from);
  }
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 4) {
    v = _mm256_maskload_ps(from, std::bit_cast<__m256i>(is_first));
  } else {
    v = _mm256_maskload_pd(from, std::bit_cast<__m256i>(is_first));
  }
#else
  for (std::size_t i = 0; i < n; i++) v[i] = from[i];
#endif
  return is_first ? v : broadcast(rest);
}

/// Half of a vector: its lanes from `first` on.
template <class T, std::size_t n, std::size_t first>
Vector<T, n / 2> half(Vector<T, n> v) {
  return [v]<std::size_t... i>(std::index_sequence<i...>) { return __builtin_shufflevector(v, v, (first + i)...); }
  (std::make_index_sequence<n / 2>());
}

/// Writes the first n numbers and nothing beyond them. (AVX has an instruction for this, too, but it is slow.)
template <class T, std::size_t width = lanes<T>>
void store(T* to, std::type_identity_t<Vector<T, width>> v, std::size_t n) {
#if defined(__AVX512F__)
  if constexpr (sizeof v == 64 && sizeof(T) == 4) {
    return _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << n) - 1), v);
  } else if constexpr (sizeof v == 64) {
    return _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << n) - 1), v);
  }
#endif
  if constexpr (width == 1) {
    if (n > 0) *to = v[0];
  } else if (n >= width / 2) {
    store<T, width / 2>(to, half<T, width, 0>(v));
    store<T, width / 2>(to + width / 2, half<T, width, width / 2>(v), n - width / 2);
  } else {
    store<T, width / 2>(to, half<T, width, 0>(v), n);
  }
}

/// Combines all lanes in a tree: the two halves of the vector, then the two halves of the result, and so on.
template <class T, std::size_t n = lanes<T>, class Combine>
T reduce(std::type_identity_t<Vector<T, n>> v, Combine combine) {
  if constexpr (n == 2) {
    return combine(v[0], v[1]);
  } else {
    return reduce<T, n / 2>(combine(half<T, n, 0>(v), half<T, n, n / 2>(v)), combine);
  }
}

template <class T>
T sum(Vector<T> v) {
  return reduce<T>(v, [](auto a, auto b) { return a + b; });
}

template <class T>
Vector<T> max(Vector<T> a, Vector<T> b) {
  return a > b ? a : b;
}

template <class T>
T max(Vector<T> v) {
  return reduce<T>(v, [](auto a, auto b) { return a > b ? a : b; });
}

template <class T>
Vector<T> root(Vector<T> v) {
  Vector<T> roots;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes<T>; i++) roots[i] = std::sqrt(v[i]);
  return roots;
}

/// e to the power of each lane. Returns 0 below the smallest normal number. Never infinite: lanes above 88 (double:
/// 709) count as 88. exp(x) = 2^n exp(r), where n is x / log 2 rounded to a whole number, so |r| <= log(2) / 2 = 0.35.
/// exp(r) is a Taylor series up to the precision of T; 2^n is assembled from bits.
template <class T>
Vector<T> exp(Vector<T> x) {
  constexpr bool is_float = sizeof(T) == 4;
  constexpr int terms = is_float ? 7 : 13;
  constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  // Adding and subtracting `round` rounds to a whole number. The sum's lowest bits hold that number.
  constexpr T round = static_cast<T>(3) * static_cast<T>(Unsigned<T>{1} << (mantissa_bits - 1));
  constexpr T log2e = static_cast<T>(1.44269504088896340736L);
  constexpr T ln2_high = is_float ? static_cast<T>(0.693145751953125L) : static_cast<T>(0.693147180369123816490L);
  constexpr T ln2_low =
      is_float ? static_cast<T>(1.42860682030941723212e-6L) : static_cast<T>(1.90821492927058770002e-10L);
  constexpr T min_x = is_float ? static_cast<T>(-87.3L) : static_cast<T>(-708.3L);
  constexpr T max_x = is_float ? static_cast<T>(88.3L) : static_cast<T>(709.3L);
  constexpr auto inverse_factorials = [] {
    std::array<T, terms + 1> values{};
    long double factorial = 1;
    for (int k = 0; k <= terms; k++) {
      if (k > 0) factorial *= k;
      values[k] = static_cast<T>(1 / factorial);
    }
    return values;
  }();

  const Vector<T> below = x > max_x ? broadcast(max_x) : x;  // NaN stays NaN
  const Vector<T> clamped = below < min_x ? broadcast(min_x) : below;
  const Vector<T> shifted = multiply_add(clamped, broadcast(log2e), broadcast(round));
  const Vector<T> n = shifted - round;
  const Vector<T> r = clamped - n * ln2_high - n * ln2_low;  // the first product is exact, the second tiny
  Vector<T> series = broadcast(inverse_factorials[terms]);
  for (int k = terms - 1; k >= 0; k--) series = multiply_add(series, r, broadcast(inverse_factorials[k]));
  using Bits = Vector<Unsigned<T>>;
  const Bits scaled = std::bit_cast<Bits>(series) + (std::bit_cast<Bits>(shifted) << mantissa_bits);
  return x < min_x ? Vector<T>{} : std::bit_cast<Vector<T>>(scaled);
}

/// The natural logarithm of each lane, which must be a positive normal number or NaN. log(x) = e log 2 + log(m), where
/// x = 2^e m and m is within a factor of sqrt(2) of 1. log(m) = 2 atanh(z) with z = (m - 1) / (m + 1), which is summed
/// as the series z + z^3 / 3 + z^5 / 5 + ...
template <class T>
Vector<T> log(Vector<T> x) {
  constexpr bool is_float = sizeof(T) == 4;
  constexpr int terms = is_float ? 6 : 12;
  constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  using Bits = Vector<Unsigned<T>>;
  using Integers = Vector<std::make_signed_t<Unsigned<T>>>;
  constexpr auto half_root = std::bit_cast<Unsigned<T>>(static_cast<T>(0.70710678118654752440L));

  // After subtracting the bits of sqrt(1/2), the exponent's bits are e.
  const Bits above = std::bit_cast<Bits>(x) - half_root;
  const Integers e = std::bit_cast<Integers>(above) >> mantissa_bits;
  const auto m = std::bit_cast<Vector<T>>(std::bit_cast<Bits>(x) - (std::bit_cast<Bits>(e) << mantissa_bits));
  const Vector<T> z = (m - 1) / (m + 1);
  const Vector<T> z2 = z * z;
  Vector<T> series = broadcast(T{1} / (2 * terms - 1));
  for (int k = terms - 2; k >= 0; k--) series = multiply_add(series, z2, broadcast(T{1} / (2 * k + 1)));
  const Vector<T> ln2 = broadcast(static_cast<T>(0.69314718055994530942L));
  const Vector<T> result = multiply_add(__builtin_convertvector(e, Vector<T>), ln2, 2 * z * series);
  return x == x ? result : x;
}

// --- Rows, one vector at a time --------------------------------------------------------------------------------------

/// Calls at(get, put) for each vector of a row with `cols` columns. get(row) loads the numbers of a row at the current
/// columns, and put(row, vector) stores them. If the last vector is not full, get(row, rest) fills the lanes beyond the
/// row with `rest`.
template <class T, class At>
[[gnu::always_inline]] inline void each_vector(std::size_t cols, At at) {
  std::size_t c = 0;
  for (; c + lanes<T> <= cols; c += lanes<T>) {
    at([c](const T* row, T = 0) { return load(row + c); }, [c](T* row, Vector<T> v) { store(row + c, v); });
  }
  if (c == cols) return;
  const std::size_t last = cols - c;
  at([c, last](const T* row, T rest = 0) { return load(row + c, last, rest); },
     [c, last](T* row, Vector<T> v) { store(row + c, v, last); });
}

/// row *= factor, n numbers.
template <class T>
void multiply_row(T* row, std::size_t n, T factor) {
  each_vector<T>(n, [&](auto get, auto put) { put(row, get(row) * factor); });
}

/// to += factor * from, n numbers.
template <class T>
void add_row(T* to, const T* from, std::size_t n, T factor) {
  each_vector<T>(n, [&](auto get, auto put) { put(to, multiply_add(get(from), broadcast(factor), get(to))); });
}

/// The dot product of n numbers. Lane i sums the numbers i, i + lanes, ...; sum() then adds the lanes.
template <class T>
T dot(const T* a, const T* b, std::size_t n) {
  Vector<T> sums{};
  each_vector<T>(n, [&](auto get, auto) { sums = multiply_add(get(a), get(b), sums); });
  return sum<T>(sums);
}

}  // namespace microgpt
