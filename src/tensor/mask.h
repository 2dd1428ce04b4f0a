// Which positions a position may look at. A Mask answers for 64 keys at once, as bits, so that attention can leave out
// a block of keys altogether where no query of a block may see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace microgpt {

class Mask {
 public:
  static constexpr std::size_t block = 64;  // keys whose bits are one word

  /// Every query sees every key.
  static Mask full() { return Mask(Kind::full); }

  /// A query sees the keys at its own position and before.
  static Mask causal() { return Mask(Kind::causal); }

  /// Query t, of n_query, sees key s, of n_key, where allowed(t, s). Takes n_query * n_key bits.
  static Mask table(std::size_t n_query, std::size_t n_key,
                    const std::function<bool(std::size_t t, std::size_t s)>& allowed);

  /// Bit i tells whether query t sees key first + i. `first` is a multiple of block.
  std::uint64_t bits(std::size_t t, std::size_t first) const {
    switch (kind_) {
      case Kind::full: return all;
      case Kind::causal: return t < first ? 0 : lowest(t - first + 1);
      case Kind::table: return table_[t * words_ + first / block];
    }
    return 0;
  }

  bool allows(std::size_t t, std::size_t s) const { return (bits(t, s / block * block) >> (s % block) & 1) != 0; }

  /// A word with its n lowest bits set; all of them if n is 64 or more.
  static std::uint64_t lowest(std::size_t n) { return n >= block ? all : (std::uint64_t{1} << n) - 1; }

 private:
  static constexpr std::uint64_t all = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { full, causal, table };

  explicit Mask(Kind kind) : kind_(kind) {}

  Kind kind_;
  std::size_t words_ = 0;  // of a row of the table
  std::vector<std::uint64_t> table_;
};

}  // namespace microgpt
