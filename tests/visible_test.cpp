#include "tensor/visible.h"

#include <doctest/doctest.h>

#include "masks.h"

namespace microgpt {
namespace {

TEST_CASE_TEMPLATE("select keeps a lane where the mask allows its key, and hides it elsewhere", T, float, double) {
  constexpr std::size_t first_query = 5;
  constexpr std::size_t n = 64;
  for (const std::size_t width : {1, 15, 16, 63, 64}) {
    const Mask mask = Mask::table(first_query + n, 128, irregular);
    const Visible visible(mask, first_query, n, 64, width);
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t j = 0; j < 64; j += lanes<T>) {
        const Vector<T> selected = visible.select(i, j, broadcast(T{2}), T{-3});
        for (std::size_t lane = 0; lane < lanes<T>; lane++) {
          const std::size_t key = j + lane;
          const bool sees = key < width && irregular(first_query + i, 64 + key);
          CHECK(selected[lane] == (sees ? T{2} : T{-3}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace microgpt
