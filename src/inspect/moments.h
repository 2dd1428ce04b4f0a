// The mean of numbers that come one by one. (A list of numbers has an estimate(): see train/evaluation.h.)
#pragma once

#include <limits>

namespace microgpt {

class Moments {
 public:
  void add(double x) { mean_ += (x - mean_) / ++n_; }

  /// NaN without numbers.
  double mean() const { return n_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN(); }

 private:
  double n_ = 0;
  double mean_ = 0;
};

}  // namespace microgpt
