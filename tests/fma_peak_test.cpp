#include "tensor/fma_peak.h"

#include <doctest/doctest.h>

#include "fused.h"
#include "tensor/simd.h"

namespace microgpt {
namespace {

// That each chain has run to its end shows in its number. (That the loop holds fma_chains instructions, no fewer and no
// more, shows in a disassembly.)
TEST_CASE_TEMPLATE("every chain of the peak's measurement is computed", T, float, double) {
  for (const std::size_t count : {0, 1, 100}) {
    T total = 0;
    for (std::size_t i = 0; i < fma_chains; i++) {
      T x = T{3} + static_cast<T>(i);
      for (std::size_t n = 0; n < count; n++) x = fused(x, static_cast<T>(0.999), static_cast<T>(0.0007));
      total += x;
    }
    CHECK(run_fma_chains<T>(3, count) == static_cast<T>(lanes<T>) * total);
  }
}

}  // namespace
}  // namespace microgpt
