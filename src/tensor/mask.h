// Which positions a position may attend to. A Mask answers for 64 keys at once, as bits, so that attention can skip a
// block of keys that no query of a block sees.
//
// The keys that a query sees are dense or scattered. Dense keys have visible neighbours, and are multiplied in blocks.
// Scattered keys (every 32nd token, or a few random ones) rarely share a block, so they are taken one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
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

  /// A pattern, for queries and keys 0 to length - 1. Only random keys take memory. They depend only on the pattern and
  /// the query, so they are the same in every run and for every length.
  static Mask of(const MaskPattern& pattern, std::size_t length);

  /// Query t sees key s if allowed(t, s), for t < n_query and s < n_key. Takes n_query * n_key bits.
  static Mask table(std::size_t n_query, std::size_t n_key,
                    const std::function<bool(std::size_t t, std::size_t s)>& allowed);

  /// Bit i says whether query t sees key first + i. `first` is a multiple of block. For a table, and for a pattern with
  /// random keys, t must be below n_query or length; keys beyond n_key or length are not seen.
  std::uint64_t bits(std::size_t t, std::size_t first) const {
    return has_scattered() ? dense_bits(t, first) | scattered_bits(t, first) : dense_bits(t, first);
  }

  bool allows(std::size_t t, std::size_t s) const { return (bits(t, s / block * block) >> (s % block) & 1) != 0; }

  /// The same for dense keys only.
  std::uint64_t dense_bits(std::size_t t, std::size_t first) const {
    switch (kind_) {
      case Kind::full: return all;
      case Kind::pattern: return pattern_bits(t, first);
      case Kind::table: return first / block < words_ ? table_[t * words_ + first / block] : 0;
    }
    return 0;
  }

  /// The first block of keys, at `from` or later, in which one of the n queries from first_query on may see a dense
  /// key; `none` if there is no such block. `from` is a multiple of block. Skips blocks in constant time.
  std::size_t next_block(std::size_t first_query, std::size_t n, std::size_t from) const {
    if (kind_ != Kind::pattern) return from;
    if (from >= first_query + n) return none;
    if (from < pattern_.n_global || is_comb_dense()) return from;
    return std::max(from, run_begin(first_query) / block * block);
  }

  bool has_scattered() const { return (pattern_.stride > 0 && !is_comb_dense()) || !random_keys_.empty(); }

  /// Calls visit(s) for each scattered key that query t sees.
  template <class Visit>
  void each_scattered(std::size_t t, Visit visit) const {
    const std::size_t S = pattern_.stride;
    if (S > 0 && !is_comb_dense() && t >= pattern_.window) {
      for (std::size_t back = (pattern_.window + S - 1) / S * S; back <= t; back += S) visit(t - back);
    }
    for (const std::uint32_t s : random_keys(t)) visit(std::size_t{s});
  }

  /// A word with its n lowest bits set; all bits if n >= 64.
  static std::uint64_t lowest(std::size_t n) { return n >= block ? all : (std::uint64_t{1} << n) - 1; }

 private:
  static constexpr std::uint64_t all = ~std::uint64_t{0};
  static constexpr std::size_t dense_stride = 4;  // up to this stride, blocks are faster than single keys
  static constexpr std::size_t dense_share = 8;   // and from one random key in 8
  enum class Kind : std::uint8_t { full, pattern, table };

  explicit Mask(Kind kind) : kind_(kind) {}

  bool is_comb_dense() const { return pattern_.stride > 0 && pattern_.stride <= dense_stride; }

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
    if (is_comb_dense()) word |= strided_bits(t, first);
    return word & lowest(t - first + 1);
  }

  /// Every stride-th key back from t. t >= first. Bits beyond t may be set.
  std::uint64_t strided_bits(std::size_t t, std::size_t first) const {
    const std::size_t nearest = (t - first) % pattern_.stride;
    return nearest < block ? comb_ << nearest : 0;
  }

  std::uint64_t scattered_bits(std::size_t t, std::size_t first) const;

  std::span<const std::uint32_t> random_keys(std::size_t t) const {
    if (random_keys_.empty()) return {};
    return std::span(random_keys_).subspan(random_begin_[t], random_begin_[t + 1] - random_begin_[t]);
  }

  Kind kind_;
  MaskPattern pattern_;
  std::uint64_t comb_ = 0;                  // bits 0, stride, 2 * stride, ...
  std::vector<std::uint32_t> random_keys_;  // query 0's, query 1's, ..., each in increasing order
  std::vector<std::size_t> random_begin_;   // where each query's begin, and the end
  std::size_t words_ = 0;                   // per row of the table
  std::vector<std::uint64_t> table_;
};

}  // namespace microgpt
