#include "tensor/rope.h"

#include <cmath>
#include <vector>

namespace microgpt {
namespace {

/// The cosines and sines of all pairs at positions 0, 1, ..., computed once, since every step uses them.
class Angles {
 public:
  struct Rotation {
    double cos;
    double sin;
  };

  Angles(std::size_t width, double base) : width_(width), base_(base) {}

  bool are_for(std::size_t width, double base) const { return width_ == width && base_ == base; }

  /// The rotations of all pairs at this position.
  const Rotation* at(std::size_t position) {
    const std::size_t pairs = width_ / 2;
    for (std::size_t p = rotations_.size() / pairs; p <= position; p++) {
      for (std::size_t i = 0; i < pairs; i++) {
        const double frequency = std::pow(base_, -2.0 * static_cast<double>(i) / static_cast<double>(width_));
        const double angle = static_cast<double>(p) * frequency;
        rotations_.push_back({std::cos(angle), std::sin(angle)});
      }
    }
    return rotations_.data() + position * pairs;
  }

  /// Each thread has its own, so that threads do not wait for each other.
  static Angles& of_thread(std::size_t width, double base) {
    thread_local std::vector<Angles> all;
    for (Angles& angles : all) {
      if (angles.are_for(width, base)) return angles;
    }
    return all.emplace_back(width, base);
  }

 private:
  std::size_t width_;
  double base_;
  std::vector<Rotation> rotations_;
};

/// Rotates the pairs of x by `direction`, 1 or -1, times their angle.
template <class T>
void rotate(View<T> y, View<const T> x, std::span<const std::size_t> positions, double base, double direction) {
  if (x.cols == 0) return;
  Angles& angles = Angles::of_thread(x.cols, base);
  for (std::size_t n = 0; n < x.rows; n++) {
    const Angles::Rotation* const rotations = angles.at(positions[n]);
    for (std::size_t i = 0; i < x.cols / 2; i++) {
      const auto cos = static_cast<T>(rotations[i].cos);
      const auto sin = static_cast<T>(direction * rotations[i].sin);
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
