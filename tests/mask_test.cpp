// Masks: what a pattern's spec means, and that a Mask is what its definition says. (That attention under a pattern is
// right: kernels_test.cpp.)
#include "tensor/mask.h"

#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "masks.h"

namespace microgpt {
namespace {

// --- Specs -----------------------------------------------------------------------------------------------------------

TEST_CASE("a spec names a pattern and its numbers, in this order, and the pattern is written as it was read") {
  const std::vector<std::pair<std::string, MaskPattern>> patterns{
      {"full", {}},
      {"local:5", {.window = 5}},
      {"strided:5:3", {.window = 5, .stride = 3}},
      {"global:5:3", {.window = 5, .n_global = 3}},
      {"random:5", {.window = 1, .n_random = 5}},
      {"bigbird:5:3:2", {.window = 5, .n_global = 3, .n_random = 2}},
      {"block:5", {.block = 5, .n_global = 5}}};
  for (const auto& [spec, pattern] : patterns) {
    CHECK(mask_spec(pattern) == spec);
    CHECK((parse_mask_pattern(spec) == pattern));
  }
  std::set<std::string> in_masks_h;
  for (const std::string& spec : all_specs()) in_masks_h.insert(spec.substr(0, spec.find(':')));
  CHECK(in_masks_h.size() == patterns.size());
  const std::string all = mask_forms();
  CHECK(std::count(all.begin(), all.end(), ',') + 1 == static_cast<std::ptrdiff_t>(patterns.size()));
}

TEST_CASE("a pattern is written in fewer words where some say nothing") {
  CHECK(mask_specs(parse_mask_patterns("global:5:0,bigbird:5:3:0,bigbird:1:0:3,random:0,full")) ==
        "local:5,global:5:3,random:3,local:1,full");
}

TEST_CASE("what is no pattern, or hides a token from itself, is refused with what would be one") {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "there is no ''; there are full, local:W, strided:W:S, global:W:G, random:R, bigbird:W:G:R, block:S"},
      {"window:4", "there is no 'window'"},
      {"full:4", "full takes 0 numbers, not 1; write full"},
      {"local", "local takes 1 number, not 0; write local:W"},
      {"local:", "W is ''; it must be a whole number, at most 1000000000"},
      {"local:-1", "W is '-1'"},
      {"local:1000000001", "W is '1000000001'"},
      {"bigbird:4:2:99999999999999999999", "R is '99999999999999999999'"},
      {"bigbird:0:4:4", "a window of 0 hides everything"},
      {"strided:4:0", "a stride of 0 never leaves the token"},
      {"block:0", "a block of 0 holds no token"}};
  for (const auto& [spec, message] : refused) {
    CHECK_THROWS_WITH_AS(parse_mask_pattern(spec), doctest::Contains(("mask '" + spec + "': " + message).c_str()),
                         UsageError);
  }
}

// --- Masks -----------------------------------------------------------------------------------------------------------

constexpr std::size_t length = 300;  // the last block is not a whole one

using Sees = std::function<bool(std::size_t t, std::size_t s)>;

/// The first query and key of `length` each that are not as they should be, in words; empty if all are.
std::string wrong_pair(const Sees& right) {
  for (std::size_t t = 0; t < length; t++) {
    for (std::size_t s = 0; s < length; s++) {
      if (!right(t, s)) return fmt::format("query {}, key {}", t, s);
    }
  }
  return "";
}

/// The definitions, for patterns without random keys.
bool defined(const MaskPattern& p, std::size_t t, std::size_t s) {
  if (s > t) return false;
  const bool near = p.block > 0 ? s / p.block == t / p.block : t - s < p.window;
  return near || s < p.n_global || (p.stride > 0 && (t - s) % p.stride == 0);
}

struct Defined {
  std::string name;
  Mask mask;
  Sees sees;
};

/// Masks of every kind with their definitions; the random ones are such that nothing is left to chance.
std::vector<Defined> defined_masks() {
  const Sees before = [](std::size_t t, std::size_t s) { return s <= t; };
  const Sees holes = [](std::size_t t, std::size_t s) { return s < 200 && irregular(t, s); };
  std::vector<Defined> masks{{"full", Mask::full(), [](auto, auto) { return true; }},
                             {"causal", Mask::causal(), before},
                             {"a table of 200 keys", Mask::table(length, 200, irregular), holes}};
  for (const char* spec : {"local:300", "local:1000000000", "block:300", "strided:1:1", "global:1:300", "random:300"}) {
    masks.push_back({spec, mask_of(spec, length), before});
  }
  for (const std::string& spec : regular_specs()) {
    const MaskPattern p = parse_mask_pattern(spec);
    masks.push_back({spec, Mask::of(p, length), [p](auto t, auto s) { return defined(p, t, s); }});
  }
  return masks;
}

TEST_CASE("a mask lets see what its definition says, and nothing else, also beyond its length") {
  for (const Defined& d : defined_masks()) {
    CAPTURE(d.name);
    auto right = [&](auto t, auto s) { return d.mask.allows(t, s) == d.sees(t, s); };
    CHECK(wrong_pair(right) == "");
    CHECK(wrong_pair([&](auto t, auto s) { return s >= Mask::block || right(t, length + s); }) == "");
  }
  CHECK(Mask::table(1, 1, [](auto, auto) { return true; }).allows(0, 0));
  CHECK_FALSE(Mask::table(1, 1, [](auto, auto) { return false; }).allows(0, 0));
}

TEST_CASE("random keys are as many as the pattern says, or all there are, outside of the window and the first G") {
  for (const std::string& spec : random_specs()) {
    const MaskPattern pattern = parse_mask_pattern(spec);
    const Mask mask = Mask::of(pattern, length);
    CAPTURE(spec);
    CHECK(wrong_pair([&](auto t, auto s) {
            return defined(pattern, t, s) ? mask.allows(t, s) : s <= t || !mask.allows(t, s);
          }) == "");
    for (std::size_t t = 0; t < length; t++) {
      std::size_t random = 0;
      std::size_t others = 0;
      for (std::size_t s = 0; s < t; s++) {
        others += !defined(pattern, t, s);
        random += !defined(pattern, t, s) && mask.allows(t, s);
      }
      CAPTURE(t);
      CHECK(random == std::min(pattern.n_random, others));
    }
  }
}

TEST_CASE("random keys are the same in every run and for every length, and differ from query to query") {
  const Mask once = mask_of("random:20", length);
  const Mask again = mask_of("random:20", length);
  const Mask shorter = mask_of("random:20", 100);
  CHECK(wrong_pair([&](auto t, auto s) { return once.allows(t, s) == again.allows(t, s); }) == "");
  CHECK(wrong_pair([&](auto t, auto s) { return t >= 100 || s >= 100 || once.allows(t, s) == shorter.allows(t, s); }) ==
        "");
  std::set<std::vector<bool>> sets;
  for (std::size_t t = 0; t < length; t++) {
    std::vector<bool> keys;
    for (std::size_t s = 0; s < length; s++) keys.push_back(once.allows(t, s));
    sets.insert(keys);
  }
  CHECK(sets.size() == length);
}

TEST_CASE("next_block passes over blocks that nobody sees, and over no other unless the pattern has strides") {
  for (const std::string& spec : all_specs()) {
    const Mask mask = mask_of(spec, length);
    const bool is_exact = parse_mask_pattern(spec).stride == 0 && parse_mask_pattern(spec).n_random == 0;
    std::size_t wrong = 0;
    for (std::size_t first_query = 0; first_query < length; first_query += 17) {
      for (const std::size_t n : {1, 16, 64}) {
        if (first_query + n > length) continue;
        std::size_t next = mask.next_block(first_query, n, 0);
        for (std::size_t first = 0; first < length; first += Mask::block) {
          std::uint64_t any = 0;
          for (std::size_t i = 0; i < n; i++) any |= mask.bits(first_query + i, first);
          wrong += first == next ? is_exact && any == 0 : any != 0;
          if (first == next) next = mask.next_block(first_query, n, first + Mask::block);
        }
      }
    }
    CAPTURE(spec);
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace microgpt
