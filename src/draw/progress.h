// How far a long run is, for a person at a terminal.
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

/// The lines of the steps of a run, on standard output. On a terminal one line is rewritten, with the time that is left
/// behind it; elsewhere the lines follow one another, and a TerminalLine has the time.
class Progress {
 public:
  /// quiet: nothing of that.
  Progress(std::size_t total, bool quiet);
  /// Ends the line, so that whatever is printed next, even an error, begins one.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `line` after `done` of `total` steps. On a terminal at most 20 times a second.
  void show(std::size_t done, const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t total_;
  bool quiet_;
  bool rewrite_;
  bool begun_ = false;
  TerminalLine time_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace microgpt
