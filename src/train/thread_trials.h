// Finds how many threads are fastest while other programs come and go.
#pragma once

#include <chrono>
#include <cstddef>

namespace microgpt {

/// Tests at intervals whether all threads are faster than one. They are not while another program keeps a processor
/// busy: every step waits for the slowest thread, and a waiting OpenMP thread keeps its own processor busy, too.
class ThreadTrials {
 public:
  static constexpr std::size_t trial = 3;     // steps of each kind
  static constexpr std::size_t period = 300;  // steps from one trial to the next

  explicit ThreadTrials(std::size_t threads) : threads_(threads) {}

  /// How many threads the next step should use.
  std::size_t next() const {
    const std::size_t at = step_ % period;
    return at < trial ? threads_ : at < 2 * trial || alone_is_faster_ ? 1 : threads_;
  }

  /// Records how long that step took, in seconds.
  void took(double seconds) {
    const std::size_t at = step_++ % period;
    if (at == 0) together_ = alone_ = 0;
    if (at < 2 * trial) (at < trial ? together_ : alone_) += seconds;
    if (at == 2 * trial - 1) alone_is_faster_ = alone_ < together_;
  }

  /// Runs and times the next step: step(threads). Returns its result.
  template <class Clock = std::chrono::steady_clock, class Step>
  auto run(Step step) {
    const auto start = Clock::now();
    const auto result = step(next());
    took(std::chrono::duration<double>(Clock::now() - start).count());
    return result;
  }

  /// The same for a step of a trainer that can use_threads(). Returns its loss.
  template <class Trainer>
  double step(Trainer& trainer) {
    return run([&](std::size_t n) {
      trainer.use_threads(n);
      return trainer.step();
    });
  }

 private:
  std::size_t threads_;
  std::size_t step_ = 0;
  double together_ = 0;
  double alone_ = 0;
  bool alone_is_faster_ = false;
};

}  // namespace microgpt
