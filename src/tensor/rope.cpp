#include "tensor/rope.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tensor/simd.h"

namespace microgpt {
namespace {

struct Rotation {
  double cos, sin;
};

/// By width and base: the rotations of all pairs at positions 0, 1, ..., as far as they were needed; every step needs
/// them again. Each thread has its own, so that threads do not wait for each other.
thread_local std::map<std::pair<std::size_t, double>, std::vector<Rotation>> known_rotations;

/// The rotations of all pairs at a position.
const Rotation* rotations_at(std::size_t position, std::size_t width, double base, std::vector<Rotation>& known) {
  const std::size_t pairs = width / 2;
  while (known.size() <= position * pairs) {
    const auto p = static_cast<double>(known.size() / pairs);
    for (std::size_t i = 0; i < pairs; i++) {
      const double angle = p * std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
      known.push_back({std::cos(angle), std::sin(angle)});
    }
  }
  return known.data() + position * pairs;
}

/// Rotates the pairs of x by `direction`, 1 or -1, times their angle.
template <class T>
void rotate(View<T> y, View<const T> x, std::span<const std::size_t> positions, double base, double direction) {
  if (x.cols == 0) return;
  std::vector<Rotation>& known = known_rotations[{x.cols, base}];
  for (std::size_t n = 0; n < x.rows; n++) {
    const Rotation* const rotations = rotations_at(positions[n], x.cols, base, known);
    for (std::size_t i = 0; i < x.cols / 2; i++) {
      const auto cos = static_cast<T>(rotations[i].cos);
      const auto sin = static_cast<T>(direction * rotations[i].sin);
      const T a = x.row(n)[2 * i];
      const T b = x.row(n)[2 * i + 1];
      // Fused by hand: GCC 12 fuses such a pair here and there, -ffp-contract=off or not (its bug 107647).
      y.row(n)[2 * i] = multiply_add_is_fused ? std::fma(a, cos, -(b * sin)) : a * cos - b * sin;
      y.row(n)[2 * i + 1] = multiply_add_is_fused ? std::fma(a, sin, b * cos) : a * sin + b * cos;
    }
  }
}

}  // namespace

template <class T>
void rope_forward(View<T> y, std::type_identity_t<View<const T>> x, std::span<const std::size_t> positions,
                  double base) {
  rotate(y, x, positions, base, 1);
}

// forward: y = R x, where R rotates. dx = R^T dy, and the transpose of a rotation rotates back.
template <class T>
void rope_backward(View<T> dx, std::type_identity_t<View<const T>> dy, std::span<const std::size_t> positions,
                   double base) {
  rotate(dx, dy, positions, base, -1);
}

template void rope_forward(View<float>, View<const float>, std::span<const std::size_t>, double);
template void rope_forward(View<double>, View<const double>, std::span<const std::size_t>, double);
template void rope_backward(View<float>, View<const float>, std::span<const std::size_t>, double);
template void rope_backward(View<double>, View<const double>, std::span<const std::size_t>, double);

}  // namespace microgpt
