#include "microgpt.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace microgpt {
namespace {

TEST_CASE("a Scope takes back the nodes made in it, and only those") {
  const std::size_t before = nodes_on_tape();
  {
    const Scope outer;
    const Value kept = 2.0;
    {
      const Scope inner;
      const Value product = kept * 3.0;
      CHECK(nodes_on_tape() == before + 2);
      product.backward();
    }
    CHECK(nodes_on_tape() == before + 1);
    CHECK(kept.data() == 2);
    CHECK(kept.grad() == 3);
    CHECK((kept * kept).data() == 4);
  }
  CHECK(nodes_on_tape() == before);
}

TEST_CASE("what lies in an arena never moves and is never handed out twice, whatever the sizes") {
  Arena<int> arena;
  std::vector<std::span<int>> pieces;
  std::vector<int*> places;
  for (const std::size_t n : {1, 4095, 1, 5000, 0, 4096, 3, 20000, 7}) {
    const std::span<int> piece = arena.allocate(n);
    CHECK(piece.size() == n);
    std::fill(piece.begin(), piece.end(), static_cast<int>(pieces.size()));
    pieces.push_back(piece);
    for (int& item : piece) places.push_back(&item);
  }
  for (std::size_t p = 0; p < pieces.size(); p++) {
    for (const int item : pieces[p]) REQUIRE(item == static_cast<int>(p));
  }
  std::vector<int*> visited;
  arena.for_each([&](int& item) { visited.push_back(&item); });
  CHECK(visited == places);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // as GCC says it
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
TEST_CASE("the address sanitizer stops a program that uses a Value after its Scope") {
  const Scope outer;
  Value x = 0.0, kept = 1.0;
  {
    const Scope inner;
    x = Value(1.0) + 2.0;
  }
  auto ends_badly = [](auto use) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(2);  // the sanitizer's report is expected
      use();
      std::_Exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  };
  CHECK(ends_badly([&] { (x * kept).backward(); }));
  CHECK(ends_badly([&] { x.backward(); }));
  CHECK_FALSE(ends_badly([&] { (kept * kept).backward(); }));
}
#endif

}  // namespace
}  // namespace microgpt
