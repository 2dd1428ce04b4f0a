#include "tensor/mask.h"

#include "base/python_random.h"

namespace microgpt {
namespace {

/// Draws n distinct numbers from `begin` to end - 1, or all of them if there are fewer, in increasing order. From
/// Bentley and Floyd, "Programming Pearls: a sample of brilliance" (1987).
std::vector<std::uint32_t> draw(std::size_t begin, std::size_t end, std::size_t n, PythonRandom& random) {
  std::vector<std::uint32_t> drawn;
  for (std::size_t last = end - std::min(n, end - begin); last < end; last++) {
    auto key = static_cast<std::uint32_t>(begin + random.below(last - begin + 1));
    if (std::binary_search(drawn.begin(), drawn.end(), key)) key = static_cast<std::uint32_t>(last);  // larger than all
    drawn.insert(std::lower_bound(drawn.begin(), drawn.end(), key), key);
  }
  return drawn;
}

}  // namespace

Mask Mask::of(const MaskPattern& pattern, std::size_t length) {
  Mask mask(Kind::pattern);
  mask.pattern_ = pattern;
  for (std::size_t i = 0; pattern.stride > 0 && i < block; i += pattern.stride) mask.comb_ |= std::uint64_t{1} << i;
  if (pattern.n_random == 0) return mask;
  Mask table = Mask::table(0, length, {});  // its rows follow
  PythonRandom random;
  for (std::size_t t = 0; t < length; t++) {
    for (std::size_t first = 0; first < length; first += block) table.table_.push_back(mask.bits(t, first));
    const std::size_t begin = std::min(pattern.n_global, t);
    for (const std::uint32_t s : draw(begin, std::max(begin, mask.run_begin(t)), pattern.n_random, random)) {
      table.table_[t * table.words_ + s / block] |= std::uint64_t{1} << (s % block);
    }
  }
  return table;
}

Mask Mask::table(std::size_t n_query, std::size_t n_key,
                 const std::function<bool(std::size_t t, std::size_t s)>& allowed) {
  Mask mask(Kind::table);
  mask.words_ = (n_key + block - 1) / block;
  mask.table_.resize(n_query * mask.words_);
  for (std::size_t t = 0; t < n_query; t++) {
    for (std::size_t s = 0; s < n_key; s++) {
      if (allowed(t, s)) mask.table_[t * mask.words_ + s / block] |= std::uint64_t{1} << (s % block);
    }
  }
  return mask;
}

}  // namespace microgpt
