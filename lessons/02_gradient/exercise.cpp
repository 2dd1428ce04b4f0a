// Exercise 02: a backward pass by hand. With it a small network learns to draw a curve. It has two things that the
// lesson's network lacks: biases, numbers that are added in front of ReLU, and a ReLU that is squared.
//
// make exercise-02 says the first thing that is wrong; make hint L=02 gives a hint, then another, then a solution.
#include <algorithm>
#include <vector>

using Numbers = std::vector<double>;

/// Its parameters, as many of each as there are hidden numbers. Or the slopes of all these.
struct Curve {
  Numbers w1, b1, w2;
};

/// y = the sum of w2[j] * h[j] * h[j], where h[j] = relu(w1[j] * x + b1[j]).
double y_at(const Curve& curve, double x) {
  double y = 0;
  for (std::size_t j = 0; j < curve.w1.size(); j++) {
    const double h = std::max(0.0, curve.w1[j] * x + curve.b1[j]);
    y += curve.w2[j] * h * h;
  }
  return y;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Back through y_at(curve, x). dy is how fast the loss changes with this y. Adds to d how fast it changes, because of
/// this y, with each parameter: the curve goes through many points, and each of them has its share in every slope.
void backward([[maybe_unused]] const Curve& curve, [[maybe_unused]] double x, [[maybe_unused]] double dy,
              [[maybe_unused]] Curve& d) {
  // TODO: the last step first
}
#endif

#include "exercise_tests.h"
