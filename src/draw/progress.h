// Shows the progress of a long run. The step line goes to standard output, the bar to standard error. On a terminal
// each is rewritten in place. In a pipe, the step lines follow one another and there is no bar.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace microgpt {

/// Whether a line there can be rewritten: on a terminal, but not on a dumb one.
bool can_rewrite(int descriptor);

/// Such a line of standard error, which is rewritten while something takes long, and erased in the end. Elsewhere
/// nothing.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine();
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_due() const { return is_shown_ && std::chrono::steady_clock::now() >= next_; }  // ten times a second
  void show(const std::string& text);

 private:
  bool is_shown_;
  std::chrono::steady_clock::time_point next_ = {};
};

class Progress {
 public:
  /// quiet: no lines and no bar.
  Progress(std::size_t total, bool quiet);
  /// Ends the step line and erases the bar, so that whatever is printed next, even an error, begins a line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `line` after `done` of `total` steps. On a terminal at most 20 times a second.
  void show(std::size_t done, const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;

  /// The bar in at most `room` characters; empty if that is too few.
  std::string bar(std::size_t done, std::size_t room) const;

  std::size_t total_;
  bool quiet_;
  bool rewrite_;  // standard output is a terminal
  bool draw_;     // standard error is a terminal
  bool begun_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace microgpt
