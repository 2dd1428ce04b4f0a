// Exercise 09: only the sign. Adam moves a weight by m over the root of v, which is often near 1 or -1. So why not take
// just the sign? That saves v, half of what Adam has to remember. (Lion, of Chen et al., 2023, is such an optimizer.)
//
// make exercise-09 says the first thing that is wrong; make hint L=09 gives a hint, then another, then a solution.
#include "microgpt.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Each parameter moves by just learning_rate, against the sign of beta1 * m + (1 - beta1) * gradient; if that is 0,
/// not at all. Only then the mean is updated: m = beta2 * m + (1 - beta2) * gradient. The gradients end as zeros.
void sign_update(const List& params, [[maybe_unused]] std::vector<double>& m, double learning_rate,
                 [[maybe_unused]] double beta1, [[maybe_unused]] double beta2) {
  for (const Value p : params) p.node->data -= learning_rate * p.grad();  // TODO: this is SGD
}
#endif

#include "exercise_tests.h"
