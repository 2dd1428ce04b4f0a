// A matrix with a fence around it: numbers that nobody may touch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "random_numbers.h"
#include "tensor/view.h"

namespace microgpt {

/// Shape (rows, cols). The fence stands before, behind and between the rows, which begin anywhere, not where a vector
/// would. It is more than a vector wide before and behind.
template <class T>
class Fenced {
 public:
  /// `content` in the matrix, and `fence` around it.
  Fenced(std::size_t rows, std::size_t cols, T content, T fence)
      : rows_(rows), cols_(cols), fence_(fence), numbers_(2 * margin + rows * stride(), fence) {
    for (std::size_t i = 0; i < rows; i++) std::fill_n(view().row(i), cols, content);
  }

  View<T> view() { return {numbers_.data() + margin, rows_, cols_, stride()}; }
  View<const T> view() const { return {numbers_.data() + margin, rows_, cols_, stride()}; }

  /// Whether every number of the fence is still what it was.
  bool intact() const {
    for (std::size_t i = 0; i < numbers_.size(); i++) {
      const bool inside = i >= margin && i < margin + rows_ * stride() && (i - margin) % stride() < cols_;
      const bool same = numbers_[i] == fence_ || (std::isnan(numbers_[i]) && std::isnan(fence_));
      if (!inside && !same) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t margin = 67;
  std::size_t stride() const { return cols_ + 3; }

  std::size_t rows_;
  std::size_t cols_;
  T fence_;
  std::vector<T> numbers_;
};

/// Random numbers within a fence of NaN: who reads it, gets NaN.
template <class T>
Fenced<T> fenced_input(PythonRandom& random, std::size_t rows, std::size_t cols, double low = -1, double high = 1) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  Fenced<T> x(rows, cols, nan, nan);
  draw(x.view(), random, low, high);
  return x;
}

/// NaN, all of which is to be written, within a fence that shows who writes there, even if by adding to it.
template <class T>
Fenced<T> fenced_output(std::size_t rows, std::size_t cols) {
  return {rows, cols, std::numeric_limits<T>::quiet_NaN(), T{1234}};
}

/// Random numbers, to be added to, within the same fence.
template <class T>
Fenced<T> fenced_sum(PythonRandom& random, std::size_t rows, std::size_t cols) {
  Fenced<T> x = fenced_output<T>(rows, cols);
  copy(x.view(), fenced_input<T>(random, rows, cols).view());
  return x;
}

/// The largest difference between two numbers at the same place. Infinities of the same sign do not differ; NaN differs
/// from everything by infinity.
template <class A, class B>
double largest_difference(View<A> a, View<B> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.rows; i++) {
    for (std::size_t j = 0; j < a.cols; j++) {
      const auto x = static_cast<double>(a.row(i)[j]);
      const auto y = static_cast<double>(b.row(i)[j]);
      if (x == y) continue;
      const double difference = std::abs(x - y);
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace microgpt
