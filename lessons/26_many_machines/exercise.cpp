// Exercise 26: Adam remembers two numbers for every parameter, and so far every machine remembers all of them. Let each
// remember those of one chunk only.
//
// make exercise-26 says the first thing that is wrong; make hint L=26 gives a hint, then another, then a solution.
#include <cmath>

#include "machine.h"
#include "tensor/threads.h"

using namespace microgpt;

/// Adam for some of the weights: always the same ones.
struct Adam {
  Numbers m, v;

  void update(std::span<double> weights, std::span<const double> gradient) {
    m.resize(weights.size());
    v.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); i++) {
      m[i] = 0.85 * m[i] + 0.15 * gradient[i];
      v[i] = 0.99 * v[i] + 0.01 * gradient[i] * gradient[i];
      weights[i] -= 0.01 * m[i] / (std::sqrt(v[i]) + 1e-8);
    }
  }
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// A step. `weights` are all weights, equal on all machines, before and after. `sum` is the gradient of this machine's
/// names; the totals of all machines decide how the weights move. `adam` is given one chunk of the weights. What is left
/// in `sum` does not matter. No machine sends more than in the ring of main.cpp.
void step([[maybe_unused]] Machine& machine, std::span<double> weights, std::span<double> sum, Adam& adam) {
  adam.update(weights, sum);  // TODO: of which chunk does this machine get the total? And what goes round then?
}
#endif

#include "exercise_tests.h"
