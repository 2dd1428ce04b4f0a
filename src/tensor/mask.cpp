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
  PythonRandom random;
  mask.random_begin_.push_back(0);
  for (std::size_t t = 0; t < length; t++) {
    const std::size_t begin = std::min(pattern.n_global, t);
    const std::vector<std::uint32_t> keys = draw(begin, std::max(begin, mask.run_begin(t)), pattern.n_random, random);
    mask.random_keys_.insert(mask.random_keys_.end(), keys.begin(), keys.end());
    mask.random_begin_.push_back(mask.random_keys_.size());
  }
  if (pattern.n_random * dense_share <= length && pattern.stride == 0) return mask;
  return table(length, length, [&](std::size_t t, std::size_t s) { return mask.allows(t, s); });
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

std::uint64_t Mask::scattered_bits(std::size_t t, std::size_t first) const {
  if (t < first) return 0;
  std::uint64_t word = pattern_.stride > 0 ? strided_bits(t, first) & lowest(t - first + 1) : 0;
  const std::span<const std::uint32_t> keys = random_keys(t);
  for (auto key = std::lower_bound(keys.begin(), keys.end(), first); key != keys.end() && *key < first + block; ++key) {
    word |= std::uint64_t{1} << (*key - first);
  }
  return word;
}

}  // namespace microgpt
