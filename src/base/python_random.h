// The random numbers of CPython's `random` module, to the last bit: Mersenne Twister MT19937 and what
// Lib/random.py makes of it. One stream, as in microgpt.py: shuffle, then gauss, then choices.
// Source: Matsumoto and Nishimura, "Mersenne Twister" (1998); CPython Modules/_randommodule.c, Lib/random.py.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"

namespace microgpt {

/// What the generator starts from: the words of the seed, mixed into 624 words of state. This is init_by_array of the
/// Mersenne Twister's authors.
struct PythonSeed {
  using result_type = std::uint32_t;

  void generate(auto state, auto end) const {
    const std::size_t n = end - state;
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    state[0] = 19650218;
    for (std::uint32_t i = 1; i < n; i++) state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    std::size_t i = 1;
    auto mix = [&](std::uint32_t factor, std::uint32_t more) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * factor)) + more;
      if (++i < n) return;
      state[0] = state[n - 1];
      i = 1;
    };
    for (std::uint32_t k = 0, j = 0; k < n; k++, j = key[1] == 0 ? 0 : 1 - j) mix(1664525, key[j] + j);
    for (std::size_t k = 1; k < n; k++) mix(1566083941, -static_cast<std::uint32_t>(i));
    state[0] = 0x80000000;
  }

  std::uint64_t seed;
};

class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed = 42) {
    PythonSeed start{seed};
    twister_.seed(start);
  }

  /// 32 random bits: random.getrandbits(32).
  std::uint32_t bits32() { return static_cast<std::uint32_t>(twister_()); }

  /// Uniform in [0, 1), 53 bits: random.random().
  double random();

  /// Normally distributed. Box-Muller makes two values at a time; the second is kept for the next call.
  double gauss(double mean, double stddev);

  /// Uniform in [0, n): draws bit_width(n) bits until the number is below n. n >= 1.
  std::size_t below(std::size_t n);

  /// Fisher-Yates from the back: random.shuffle(items).
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[below(i + 1)]);
  }

  /// An index drawn in proportion to its weight: random.choices(range(n), weights)[0]. Weights must not be negative,
  /// and not all zero. Throws Error if they are not finite.
  std::size_t choice(std::span<const double> weights);

 private:
  std::mt19937 twister_;
  std::optional<double> waiting_gauss_;
};

/// Throws Error if the sum of the weights to draw from is not finite.
inline void require_drawable(double total) {
  if (std::isfinite(total)) return;
  throw Error("the probabilities to draw from are not finite numbers; the model's numbers are too large");
}

inline double PythonRandom::random() {
  const double high = bits32() >> 5;  // 27 bits
  const double low = bits32() >> 6;   // 26 bits
  return (high * 0x1p26 + low) / 0x1p53;
}

inline double PythonRandom::gauss(double mean, double stddev) {
  double z = 0;
  if (waiting_gauss_) {
    z = *waiting_gauss_;
    waiting_gauss_.reset();
  } else {
    const double angle = random() * (2.0 * std::numbers::pi);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random()));
    z = std::cos(angle) * radius;
    waiting_gauss_ = std::sin(angle) * radius;
  }
  return mean + z * stddev;
}

inline std::size_t PythonRandom::below(std::size_t n) {
  const int bits = std::bit_width(n);
  auto draw = [&]() -> std::uint64_t {
    if (bits <= 32) return bits32() >> (32 - bits);
    const std::uint64_t low = bits32();
    return low | (static_cast<std::uint64_t>(bits32() >> (64 - bits)) << 32);
  };
  std::uint64_t r = draw();
  while (r >= n) r = draw();
  return static_cast<std::size_t>(r);
}

inline std::size_t PythonRandom::choice(std::span<const double> weights) {
  std::vector<double> cumulative(weights.size());
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); i++) cumulative[i] = total += weights[i];
  require_drawable(total);
  // The search leaves out the last index, so that rounding cannot lead past the end.
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, random() * total);
  return static_cast<std::size_t>(found - cumulative.begin());
}

}  // namespace microgpt
