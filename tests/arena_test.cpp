#include "scalar/arena.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace microgpt {
namespace {

TEST_CASE("what was allocated since the mark is handed out again") {
  for (const bool empty : {false, true}) {
    Arena<int> arena;
    if (!empty) arena.allocate(10);
    const auto mark = arena.mark();
    const std::vector<std::size_t> sizes{1, 4000, 4000, 10'000, 3, 5000};  // in chunks, across them, larger than one
    std::vector<int*> first;
    for (std::size_t n : sizes) first.push_back(arena.allocate(n));
    for (int round = 0; round < 3; round++) {
      arena.rewind(mark);
      for (std::size_t i = 0; i < sizes.size(); i++) CHECK(arena.allocate(sizes[i]) == first[i]);
    }
  }
}

TEST_CASE("pieces do not overlap, whatever came before") {
  Arena<int> arena;
  const auto mark = arena.mark();
  for (std::size_t n : {4096, 1, 9000, 4097, 100}) {  // the chunks left behind have another size each time
    arena.rewind(mark);
    std::vector<int*> pieces;
    for (int i = 0; i < 20; i++) {
      pieces.push_back(arena.allocate(n));
      std::fill_n(pieces.back(), n, i);
    }
    std::size_t wrong = 0;
    for (int i = 0; i < 20; i++) {
      for (std::size_t k = 0; k < n; k++) wrong += pieces[static_cast<std::size_t>(i)][k] != i;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("for_each meets what is in use, not what was taken back") {
  Arena<int> arena;
  std::vector<int> expected(5000);
  std::iota(expected.begin(), expected.end(), 0);
  for (int number : expected) *arena.allocate(1) = number;
  const auto mark = arena.mark();
  std::fill_n(arena.allocate(9000), 9000, -1);
  arena.rewind(mark);
  std::vector<int> met;
  arena.for_each([&](int number) { met.push_back(number); });
  CHECK(met == expected);
}

}  // namespace
}  // namespace microgpt
