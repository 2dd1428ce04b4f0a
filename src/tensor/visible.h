// The part of a Mask for one block of queries and one block of keys, in the form that vectors need.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tensor/mask.h"
#include "tensor/simd.h"

namespace microgpt {

/// Which dense keys of a block each query of a block may see. A block has at most Mask::block of them.
class Visible {
 public:
  /// Some queries of the block, and a range of keys from the first to the last that one of them sees.
  struct Part {
    std::size_t row, rows;  // queries
    std::size_t col, cols;  // keys
  };

  /// n queries from first_query on, `width` keys from first_key on.
  Visible(const Mask& mask, std::size_t first_query, std::size_t n, std::size_t first_key, std::size_t width)
      : n_(n), width_(width) {
    for (std::size_t i = 0; i < n; i++) {
      words_[i] = mask.dense_bits(first_query + i, first_key) & Mask::lowest(width);
    }
  }

  /// Calls visit(part) for parts that together cover all visible pairs: the whole block if all is visible, or about the
  /// visible half if the diagonal or the end of a window cuts it. Takes queries 16 at a time, keys in whole vectors.
  template <class T, class Visit>
  void each_part(Visit visit) const {
    Part part{};
    for (std::size_t row = 0; row < n_; row += step) {
      const Part next = seen_by<T>(row, std::min(step, n_ - row));
      if (part.rows > 0 && next.col == part.col && next.cols == part.cols) {
        part.rows += next.rows;
        continue;
      }
      if (part.rows > 0 && part.cols > 0) visit(part);
      part = next;
    }
    if (part.rows > 0 && part.cols > 0) visit(part);
  }

  /// x in the lanes whose keys, from `first` on, query i sees, and `masked` elsewhere.
  template <class T>
  Vector<T> select(std::size_t i, std::size_t first, Vector<T> x, T masked) const {
    const Vector<Unsigned<T>> bits = broadcast(static_cast<Unsigned<T>>(words_[i] >> first)) >> lane_numbers<T>;
    return (bits & 1) != 0 ? x : broadcast(masked);
  }

 private:
  static constexpr std::size_t step = 16;

  template <class T>
  Part seen_by(std::size_t row, std::size_t rows) const {
    std::uint64_t seen = 0;
    for (std::size_t i = row; i < row + rows; i++) seen |= words_[i];
    if (seen == 0) return {row, rows, 0, 0};
    const auto first = static_cast<std::size_t>(std::countr_zero(seen)) / lanes<T> * lanes<T>;
    const auto end = std::min(width_, padded<T>(static_cast<std::size_t>(std::bit_width(seen))));
    return {row, rows, first, end - first};
  }

  std::size_t n_;
  std::size_t width_;
  std::array<std::uint64_t, Mask::block> words_;
};

}  // namespace microgpt
