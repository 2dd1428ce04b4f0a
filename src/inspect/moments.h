// The mean of numbers that come one by one, and how precise it is.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace microgpt {

/// Welford's method (1962): it needs no list, and loses no digits if the numbers are close together.
class Moments {
 public:
  void add(double x) {
    n_ += 1;
    const double before = x - mean_;
    mean_ += before / n_;
    squares_ += before * (x - mean_);
  }

  /// NaN without numbers; with one number, only the mean is known.
  double mean() const { return n_ > 0 ? mean_ : unknown; }
  double stddev() const { return n_ > 1 ? std::sqrt(squares_ / (n_ - 1)) : unknown; }
  double standard_error() const { return stddev() / std::sqrt(n_); }

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double n_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace microgpt
