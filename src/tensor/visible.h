// The part of a Mask that a block of queries and a block of keys need, as vectors take it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tensor/mask.h"
#include "tensor/simd.h"

namespace microgpt {

/// Which keys of a block, at most Mask::block, each query of another may see.
class Visible {
 public:
  /// n queries from first_query, `width` keys from first_key.
  Visible(const Mask& mask, std::size_t first_query, std::size_t n, std::size_t first_key, std::size_t width) {
    for (std::size_t i = 0; i < n; i++) {
      words_[i] = mask.bits(first_query + i, first_key) & Mask::lowest(width);
      any_ |= words_[i];
    }
  }

  bool any() const { return any_ != 0; }

  /// How many keys of the block query i can see at most: those after them are hidden.
  std::size_t end(std::size_t i) const { return static_cast<std::size_t>(std::bit_width(words_[i])); }

  /// x where query i sees the keys from `first` on, and `hidden` elsewhere.
  template <class T>
  Vector<T> select(std::size_t i, std::size_t first, Vector<T> x, T hidden) const {
    using Bits = Vector<Unsigned<T>>;
    Bits lane;
    for (Unsigned<T> j = 0; j < lanes<T>; j++) lane[j] = j;
    const Bits bits = (Bits{} + static_cast<Unsigned<T>>(words_[i] >> first)) >> lane;
    return (bits & 1) != 0 ? x : broadcast(hidden);
  }

 private:
  std::array<std::uint64_t, Mask::block> words_;
  std::uint64_t any_ = 0;
};

}  // namespace microgpt
