#include "tensor/transpose.h"

#include <doctest/doctest.h>

#include "fenced.h"

namespace microgpt {
namespace {

TEST_CASE_TEMPLATE("transpose puts every number where it belongs, and nothing beyond, in every shape", T, float,
                   double) {
  PythonRandom random(1);
  for (const std::size_t n : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64}) {
    for (const std::size_t m : {1, 2, 5, 8, 9, 16, 31, 32, 50}) {
      const Fenced<T> from = fenced_input<T>(random, n, m);
      Fenced<T> to = fenced_output<T>(m, n);
      transpose(to.view(), from.view());
      INFO("(" << n << "," << m << ")");
      CHECK(to.intact());
      bool right = true;
      for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < m; j++) right = right && to.view().row(j)[i] == from.view().row(i)[j];
      }
      CHECK(right);
    }
  }
}

}  // namespace
}  // namespace microgpt
