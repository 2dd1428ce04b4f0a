#include "tensor/threads.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace microgpt {
namespace {

TEST_CASE("shares follow one another, cover everything, and differ by at most one") {
  for (std::size_t n = 0; n <= 40; n++) {
    for (std::size_t shares = 1; shares <= 12; shares++) {
      std::size_t next = 0;
      std::size_t least = n;
      std::size_t most = 0;
      for (std::size_t i = 0; i < shares; i++) {
        const Share part = share(n, i, shares);
        CHECK(part.first == next);
        next += part.n;
        least = std::min(least, part.n);
        most = std::max(most, part.n);
      }
      CHECK(next == n);
      CHECK(most - least <= 1);
    }
  }
}

TEST_CASE("parallel calls each share once, and is back when all are done") {
  for (const std::size_t shares : {1, 2, 3, 8, 33}) {
    std::vector<std::atomic<int>> calls(shares);
    parallel(shares, [&](std::size_t i) { calls[i]++; });
    for (const std::atomic<int>& count : calls) CHECK(count == 1);
  }
}

TEST_CASE("parallel within parallel still calls everything once") {
  std::vector<std::atomic<int>> calls(6);
  parallel(2, [&](std::size_t i) { parallel(3, [&](std::size_t j) { calls[3 * i + j]++; }); });
  for (const std::atomic<int>& count : calls) CHECK(count == 1);
}

TEST_CASE("there is at least one thread, and one only without OpenMP") {
  CHECK(available_threads() >= 1);
  if (!have_openmp) CHECK(available_threads() == 1);
}

}  // namespace
}  // namespace microgpt
