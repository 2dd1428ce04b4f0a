// How far a long run is, for a person at a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace microgpt {

/// A line of standard error, which is rewritten while something takes long, and erased in the end, if that is a
/// terminal that can do so. Elsewhere nothing.
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

/// The lines of the steps of a run, on standard output. If that is a terminal, it gets the last one only; those before
/// are a TerminalLine, with the time that is left. Elsewhere they follow one another, and a TerminalLine has the time.
class Progress {
 public:
  /// quiet: nothing of that.
  Progress(std::size_t total, bool quiet);

  /// Shows `line` after `done` of `total` steps.
  void show(std::size_t done, const std::string& line);

 private:
  std::size_t total_;
  bool quiet_, rewrite_;
  std::optional<TerminalLine> line_{std::in_place};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace microgpt
