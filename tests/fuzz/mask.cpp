// Fuzzing the words of --mask: what is read is written as it was, and a Mask is what the comment of MaskPattern says.
#include "tensor/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mask_pattern.h"
#include "base/python_random.h"
#include "edit_text.h"
#include "seeds.h"

namespace microgpt {

std::vector<std::string> seeds() {
  return {"full",    "local:5",  "strided:5:3",      "strided:1:70", "global:70:3",       "random:5",
          "block:5", "block:64", "bigbird:5:3:2",    "global:5:0",   "bigbird:1:0:3",     "random:0",
          "local:0", "local",    "local:1000000001", "block:-1",     "bigbird:9:9:9:9:9", "random:1000000000"};
}

namespace {

constexpr std::size_t length = 150;  // two blocks of 64 keys, and a part of one

/// The rules that leave nothing to chance.
bool is_ruled(const MaskPattern& p, std::size_t t, std::size_t s) {
  const bool near = p.block > 0 ? s >= t / p.block * p.block : t - s < p.window;
  return near || (p.stride > 0 && (t - s) % p.stride == 0) || s < p.n_global;
}

/// Query t sees what the rules say, and of the keys between the first G and the window as many as were to be drawn.
void check_query(const MaskPattern& p, const Mask& mask, std::size_t t) {
  std::size_t drawn = 0, between = 0;
  for (std::size_t first = 0; first < length; first += Mask::block) {
    const std::uint64_t bits = mask.bits(t, first);
    for (std::size_t s = first; s < first + Mask::block; s++) {
      const bool seen = (bits >> (s - first) & 1) != 0;
      const bool ruled = s <= t && is_ruled(p, t, s);
      const bool may_be_drawn = s <= t && !ruled;
      if (!may_be_drawn && seen != ruled) wrong(fmt::format("{}: query {}, key {}", mask_spec(p), t, s));
      between += may_be_drawn ? 1 : 0;
      drawn += may_be_drawn && seen ? 1 : 0;
    }
  }
  const std::size_t wanted = std::min(p.n_random, between);
  if (drawn != wanted) wrong(fmt::format("{}: query {} sees {} random keys, not {}", mask_spec(p), t, drawn, wanted));
}

/// The random keys of a query do not depend on the length.
void check_shorter(const MaskPattern& p, const Mask& mask) {
  constexpr std::size_t shorter = 70;
  const Mask other = Mask::of(p, shorter);
  for (std::size_t t = 0; t < shorter; t++) {
    for (const std::size_t first : {std::size_t{0}, Mask::block}) {
      if (mask.bits(t, first) != other.bits(t, first)) wrong(fmt::format("{}: query {} of 70", mask_spec(p), t));
    }
  }
}

}  // namespace
}  // namespace microgpt

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  microgpt::PythonRandom random(seed);
  const std::string text = microgpt::edit_number({reinterpret_cast<const char*>(data), size}, random);
  if (text.size() > max_size || random.below(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace microgpt;
  MaskPattern pattern;
  try {
    pattern = parse_mask_pattern({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  require(parse_mask_pattern(mask_spec(pattern)) == pattern, "a pattern does not read as it was written");
  const Mask mask = Mask::of(pattern, length);
  for (std::size_t t = 0; t < length; t++) check_query(pattern, mask, t);
  check_shorter(pattern, mask);
  return 0;
}
