// How far a long run is. The step line belongs to standard output, the bar to standard error; each moves only where a
// person looks on, and in a pipe the lines come one after the other and the bar not at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace microgpt {

class Progress {
 public:
  /// quiet: neither lines nor bar.
  Progress(std::size_t total, bool quiet);
  /// Ends the step line and takes the bar away, so that what comes next, an error too, begins a line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `line` as what happened last, `done` of `total` steps being done. On a terminal at most 20 times a second.
  void show(std::size_t done, const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;

  /// At most `room` characters; where that is too few, none.
  std::string bar(std::size_t done, std::size_t room) const;

  std::size_t total_;
  bool quiet_;
  bool rewrite_;  // standard output is a terminal
  bool draw_;     // standard error is one
  bool begun_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace microgpt
