// Which positions a position may attend to. A Mask answers for 64 keys at once, as bits, so that attention can skip a
// block of keys that no query of a block sees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/mask_pattern.h"

namespace microgpt {

class Mask {
 public:
  static constexpr std::size_t block = 64;  // keys per word of bits
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Every query sees every key.
  static Mask full() { return Mask(Kind::full); }

  /// A query sees the key at its own position and all earlier ones.
  static Mask causal() { return Mask(Kind::pattern); }

  /// A pattern, for queries and keys 0 to length - 1. With random keys it becomes a table; which keys these are
  /// depends only on the pattern and the query, so they are the same in every run and for every length.
  static Mask of(const MaskPattern& pattern, std::size_t length);

  /// Query t sees key s if allowed(t, s), for t < n_query and s < n_key. Takes n_query * n_key bits.
  static Mask table(std::size_t n_query, std::size_t n_key,
                    const std::function<bool(std::size_t t, std::size_t s)>& allowed);

  /// Bit i says whether query t sees key first + i. `first` is a multiple of block. For a table, t must be below
  /// n_query; keys beyond n_key are not seen.
  std::uint64_t bits(std::size_t t, std::size_t first) const {
    switch (kind_) {
      case Kind::full: return all;
      case Kind::pattern: return pattern_bits(t, first);
      case Kind::table: return first / block < words_ ? table_[t * words_ + first / block] : 0;
    }
    return 0;
  }

  bool allows(std::size_t t, std::size_t s) const { return (bits(t, s / block * block) >> (s % block) & 1) != 0; }

  /// The first block of keys, at `from` or later, in which one of the n queries from first_query on may see a key;
  /// `none` if there is no such block. `from` is a multiple of block. Skips blocks in constant time.
  std::size_t next_block(std::size_t first_query, std::size_t n, std::size_t from) const {
    if (kind_ != Kind::pattern) return from;
    if (from >= first_query + n) return none;
    if (from < pattern_.n_global || pattern_.stride > 0) return from;
    return std::max(from, run_begin(first_query) / block * block);
  }

  /// A word with its n lowest bits set; all bits if n >= 64.
  static std::uint64_t lowest(std::size_t n) { return n >= block ? all : (std::uint64_t{1} << n) - 1; }

 private:
  static constexpr std::uint64_t all = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { full, pattern, table };

  explicit Mask(Kind kind) : kind_(kind) {}

  /// The first key of the run that ends at t: query t sees all keys of this run.
  std::size_t run_begin(std::size_t t) const {
    if (pattern_.block > 0) return t / pattern_.block * pattern_.block;
    return t < pattern_.window ? 0 : t - pattern_.window + 1;
  }

  std::uint64_t pattern_bits(std::size_t t, std::size_t first) const {
    if (t < first) return 0;
    const std::size_t begin = run_begin(t);
    std::uint64_t word = begin <= first ? all : ~lowest(begin - first);
    if (pattern_.n_global > first) word |= lowest(pattern_.n_global - first);
    if (pattern_.stride > 0) word |= strided_bits(t, first);
    return word & lowest(t - first + 1);
  }

  /// Every stride-th key back from t. t >= first. Bits beyond t may be set.
  std::uint64_t strided_bits(std::size_t t, std::size_t first) const {
    const std::size_t nearest = (t - first) % pattern_.stride;
    return nearest < block ? comb_ << nearest : 0;
  }

  Kind kind_;
  MaskPattern pattern_;
  std::uint64_t comb_ = 0;  // bits 0, stride, 2 * stride, ...
  std::size_t words_ = 0;   // per row of the table
  std::vector<std::uint64_t> table_;
};

}  // namespace microgpt
