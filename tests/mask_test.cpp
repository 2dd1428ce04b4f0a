#include "tensor/mask.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "irregular.h"

namespace microgpt {
namespace {

constexpr std::size_t n_query = 131;
constexpr std::size_t n_key = 200;  // the last block is not a whole one

TEST_CASE("a full mask lets every query see every key") {
  const Mask mask = Mask::full();
  for (std::size_t t = 0; t < n_query; t++) {
    for (std::size_t s = 0; s < n_key; s++) CHECK(mask.allows(t, s));
  }
}

TEST_CASE("a causal mask lets a query see itself and what is before it") {
  const Mask mask = Mask::causal();
  for (std::size_t t = 0; t < n_query; t++) {
    for (std::size_t s = 0; s < n_key; s++) CHECK(mask.allows(t, s) == (s <= t));
  }
}

TEST_CASE("a table allows what its function allowed, also beyond 64 keys") {
  const Mask mask = Mask::table(n_query, n_key, irregular);
  for (std::size_t t = 0; t < n_query; t++) {
    for (std::size_t s = 0; s < n_key; s++) CHECK(mask.allows(t, s) == irregular(t, s));
  }
}

TEST_CASE("bits are what is allowed, key by key from the lowest bit") {
  for (const Mask& mask : {Mask::full(), Mask::causal(), Mask::table(n_query, n_key, irregular)}) {
    for (std::size_t t = 0; t < n_query; t++) {
      for (std::size_t first = 0; first < n_key; first += Mask::block) {
        const std::uint64_t bits = mask.bits(t, first);
        for (std::size_t i = 0; i < Mask::block && first + i < n_key; i++) {
          CHECK((bits >> i & 1) == static_cast<std::uint64_t>(mask.allows(t, first + i)));
        }
      }
    }
  }
}

TEST_CASE("keys that a table does not have are not to be seen") {
  const Mask mask = Mask::table(1, 70, [](std::size_t, std::size_t) { return true; });
  CHECK(mask.bits(0, 0) == ~std::uint64_t{0});
  CHECK(mask.bits(0, 64) == 0b111111);
}

TEST_CASE("a table of no more than one query and one key") {
  CHECK(Mask::table(1, 1, [](std::size_t, std::size_t) { return true; }).allows(0, 0));
  CHECK_FALSE(Mask::table(1, 1, [](std::size_t, std::size_t) { return false; }).allows(0, 0));
}

TEST_CASE("lowest sets so many bits, and all from 64 on") {
  for (std::size_t n = 0; n <= 70; n++) {
    const std::uint64_t bits = Mask::lowest(n);
    CHECK(static_cast<std::size_t>(std::popcount(bits)) == std::min<std::size_t>(n, 64));
    CHECK(static_cast<std::size_t>(std::bit_width(bits)) == std::min<std::size_t>(n, 64));
  }
}

}  // namespace
}  // namespace microgpt
