#include "microgpt.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scalar/ops.h"

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

TEST_CASE("a Scope that is left by an exception takes its nodes back too") {
  const std::size_t before = nodes_on_tape();
  auto fail = [] {
    const Scope scope;
    Value(2.0);
    throw std::runtime_error("half-way");
  };
  CHECK_THROWS_AS(fail(), std::runtime_error);
  CHECK(nodes_on_tape() == before);
}

TEST_CASE("step after step writes over the same memory" * doctest::skip(checked)) {  // a checked build lets it rest
  std::vector<const void*> first;
  for (int step = 0; step < 10; step++) {
    const Scope scope;
    std::vector<const void*> places;
    Values x(10'000, [](std::size_t i) { return static_cast<double>(i); });  // more than a chunk of the arena
    for (int i = 0; i < 10; i++) {
      x = softmax(x);
      places.push_back(x.front().node);
      places.push_back(x.back().node);
    }
    const Value loss = dot(x, x);
    places.push_back(loss.node);
    loss.backward();
    places.push_back(tape.allocate<Node*>(1));  // the next free place for each kind of memory
    places.push_back(tape.allocate<double>(1));
    if (step == 0) first = places;
    REQUIRE(places == first);
  }
}

TEST_CASE("what lies in an arena never moves and is never handed out twice, whatever the sizes") {
  ArenaOf<int> arena;
  std::vector<std::pair<int*, std::size_t>> pieces;
  std::size_t used = 0;
  for (const std::size_t n : {1, 4095, 1, 5000, 0, 4096, 3, 20000, 7}) {
    int* const piece = arena.allocate(n);
    std::fill_n(piece, n, static_cast<int>(pieces.size()));
    pieces.emplace_back(piece, n);
    CHECK(arena.used() >= used + n);
    used = arena.used();
    if (n > 0) CHECK(&arena[used - 1] == piece + n - 1);
  }
  for (std::size_t p = 0; p < pieces.size(); p++) {
    for (std::size_t i = 0; i < pieces[p].second; i++) REQUIRE(pieces[p].first[i] == static_cast<int>(p));
  }
}

TEST_CASE("a fused operation is one node, even of an empty list") {
  const Scope scope;
  const Values x{1.0, 2.0, 3.0, 4.0};
  const std::size_t before = nodes_on_tape();
  sum(x);
  dot(x, x);
  const Value total = sum(Values());
  CHECK(nodes_on_tape() == before + 3);
  total.backward();
  CHECK(total.data() == 0);
}

#ifdef MICROGPT_CHECKED
TEST_CASE("a Value used after its Scope has ended is found out") {
  const Scope outer;
  Value x = 0.0;
  Values list;
  {
    const Scope inner;
    x = Value(1.0) + 2.0;
    list = Values{1.0, 2.0};
  }
  const Value live = 5.0;  // where x was
  const Values lives{3.0, 4.0};
  CHECK_THROWS_AS(x.data(), std::logic_error);
  CHECK_THROWS_AS(x.grad(), std::logic_error);
  CHECK_THROWS_AS(x.backward(), std::logic_error);
  CHECK_THROWS_AS(live + x, std::logic_error);
  CHECK_THROWS_AS(x * live, std::logic_error);
  CHECK_THROWS_AS(x / 2.0, std::logic_error);
  CHECK_THROWS_AS(exp(x), std::logic_error);
  CHECK_THROWS_AS(list[0].data(), std::logic_error);
  CHECK_THROWS_AS(linear(list, {1, 2, nullptr, nullptr}), std::logic_error);
  CHECK_THROWS_AS(sum(list), std::logic_error);
  CHECK_THROWS_AS(dot(lives, list), std::logic_error);
  CHECK_THROWS_AS(softmax(list), std::logic_error);
}

TEST_CASE("memory rests before it is used again, but not for ever, and what lies before it stays") {
  const Scope outer;
  const Value kept = 2.0;
  const std::size_t before = tape.of<Node>().used();
  for (int step = 0; step < 100; step++) {
    const Scope scope;
    for (int i = 0; i < 1000; i++) Value(1.0);
    CHECK(tape.of<Node>().used() < before + 20'000);
  }
  CHECK((kept * 3.0).data() == 6);
}
#endif

}  // namespace
}  // namespace microgpt
