// Finds how many threads are fastest while other programs come and go.
#pragma once

#include <algorithm>
#include <cstddef>

namespace microgpt {

/// Tests at intervals whether all threads are faster than one. They are not while another program keeps a processor
/// busy: every step waits for the slowest thread, and a waiting OpenMP thread keeps its own processor busy, too. In
/// doubt one thread goes on: all threads must be faster than its shortest step, and a trial that they have lost ends at
/// once. The next one then comes after four times as many steps.
class ThreadTrials {
 public:
  static constexpr std::size_t trial = 3;     // steps of each kind
  static constexpr std::size_t period = 300;  // steps from one trial to the next, while all threads are faster

  explicit ThreadTrials(std::size_t threads) : threads_(threads) {}

  /// How many threads the next step should use.
  std::size_t next() const { return at_ < trial || together_is_slower() ? 1 : threads_; }

  /// Records how long that step took, in seconds.
  void took(double seconds) {
    if (at_ < trial) {
      alone_ = at_ == 0 ? seconds : std::min(alone_, seconds);
      together_ = 0;
    } else if (at_ < 2 * trial && !together_is_slower()) {
      together_ += seconds;
    }
    if (++at_ < length_) return;
    length_ = together_is_slower() ? 4 * length_ : period;
    at_ = 0;
  }

 private:
  bool together_is_slower() const { return together_ > trial * alone_; }

  std::size_t threads_;
  std::size_t length_ = period;  // of this period, in steps
  std::size_t at_ = 0;           // its next step
  double together_ = 0;          // the trial's steps with all threads
  double alone_ = 0;             // its shortest step with one
};

}  // namespace microgpt
