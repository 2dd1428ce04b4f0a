// Every parameter of a model against its central difference.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "base/parameters.h"
#include "central_difference.h"
#include "microgpt.h"

namespace microgpt {

/// `loss` computes a Value from the parameters, and will be called again and again; a computed loss is at most
/// `rounding` from the exact one.
template <class Loss>
void check_all_gradients(Parameters& parameters, double rounding, Loss loss) {
  {
    const Scope scope;
    loss().backward();
  }
  for (std::size_t i = 0; i < parameters.size(); i++) {
    double& parameter = parameters.data()[i];
    const double original = parameter;
    auto vary = [&](double varied) {
      const Scope scope;
      parameter = varied;
      return loss().data();
    };
    const auto [slope, error] = central_difference(vary, original, rounding);
    parameter = original;
    CAPTURE(i);
    CHECK(std::abs(parameters.grad()[i] - slope) <= error);
    CHECK(error < 1e-6);  // no kink of relu in between: the test is sharp
  }
}

}  // namespace microgpt
