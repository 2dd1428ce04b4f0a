#include "tensor/rope.h"

#include <cmath>

namespace microgpt {
namespace {

/// Turns the pairs of x by `direction` times their angle.
template <class T>
void turn(View<T> y, View<const T> x, std::span<const std::size_t> positions, double base, double direction) {
  for (std::size_t i = 0; i < x.cols / 2; i++) {
    const double frequency = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(x.cols));
    for (std::size_t n = 0; n < x.rows; n++) {
      const double angle = direction * static_cast<double>(positions[n]) * frequency;
      const auto cos = static_cast<T>(std::cos(angle));
      const auto sin = static_cast<T>(std::sin(angle));
      const T a = x.row(n)[2 * i];
      const T b = x.row(n)[2 * i + 1];
      y.row(n)[2 * i] = a * cos - b * sin;
      y.row(n)[2 * i + 1] = a * sin + b * cos;
    }
  }
}

}  // namespace

template <class T>
void rope_forward(View<T> y, std::type_identity_t<View<const T>> x, std::span<const std::size_t> positions,
                  double base) {
  turn(y, x, positions, base, 1);
}

// forward: y = R x, where R turns. dx = R^T dy, and the transpose of a rotation turns back.
template <class T>
void rope_backward(View<T> dx, std::type_identity_t<View<const T>> dy, std::span<const std::size_t> positions,
                   double base) {
  turn(dx, dy, positions, base, -1);
}

template void rope_forward(View<float>, View<const float>, std::span<const std::size_t>, double);
template void rope_forward(View<double>, View<const double>, std::span<const std::size_t>, double);
template void rope_backward(View<float>, View<const float>, std::span<const std::size_t>, double);
template void rope_backward(View<double>, View<const double>, std::span<const std::size_t>, double);

}  // namespace microgpt
