// How many threads are worth their while, while other programs come and go.
#pragma once

#include <chrono>
#include <cstddef>

namespace microgpt {

/// Finds out, again and again, whether all threads are faster than one: they are not while something else keeps one of
/// the processors busy, since every step waits for the last of them, and OpenMP waits by keeping its processor busy,
/// too.
class ThreadTrials {
 public:
  static constexpr std::size_t trial = 3;     // steps of each kind
  static constexpr std::size_t period = 300;  // steps from trial to trial

  explicit ThreadTrials(std::size_t threads) : threads_(threads) {}

  /// How many threads the next step should use.
  std::size_t next() const {
    const std::size_t at = step_ % period;
    return at < trial ? threads_ : at < 2 * trial || alone_is_faster_ ? 1 : threads_;
  }

  /// How long it took, in seconds.
  void took(double seconds) {
    const std::size_t at = step_++ % period;
    if (at == 0) together_ = alone_ = 0;
    if (at < 2 * trial) (at < trial ? together_ : alone_) += seconds;
    if (at == 2 * trial - 1) alone_is_faster_ = alone_ < together_;
  }

  /// The next step: step(threads), with its time taken. Returns what it returns.
  template <class Step>
  auto run(Step step) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const auto result = step(next());
    took(std::chrono::duration<double>(Clock::now() - start).count());
    return result;
  }

 private:
  std::size_t threads_;
  std::size_t step_ = 0;
  double together_ = 0;
  double alone_ = 0;
  bool alone_is_faster_ = false;
};

}  // namespace microgpt
