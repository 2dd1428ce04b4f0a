// The random numbers of CPython's `random` module, to the last bit: Mersenne Twister MT19937 and what
// Lib/random.py makes of it. One stream, as in microgpt.py: shuffle, then gauss, then choices.
// Source: Matsumoto and Nishimura, "Mersenne Twister" (1998); CPython Modules/_randommodule.c, Lib/random.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace microgpt {

class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed = 42);

  /// Seeds with a decimal whole number of any size ("-7", "123456789012345678901234567890"). As in Python, the sign is
  /// ignored. Throws UsageError if the text is not a whole number.
  explicit PythonRandom(std::string_view decimal_seed);

  /// 32 random bits: random.getrandbits(32).
  std::uint32_t bits32();

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
  void seed_by_array(std::span<const std::uint32_t> key);
  void twist();

  static constexpr std::size_t state_size = 624;
  std::array<std::uint32_t, state_size> state_{};
  std::size_t next_ = state_size;
  std::optional<double> waiting_gauss_;
};

}  // namespace microgpt
