// Signals that ask a long run to stop: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (the terminal was closed).
#pragma once

#include <csignal>
#include <ctime>
#include <string>

#include "base/error.h"

namespace microgpt {

/// A run was asked to stop, and has stopped in good order. The program exits with 128 + signal, as shells count.
struct Interrupted : Error {
  Interrupted(int signal_, const std::string& message) : Error(message), signal(signal_) {}
  int signal;
};

/// While this lives, the first signal is only remembered. Another one ends the program if it comes a second later or
/// more. A standard output that nobody reads any more makes printing fail instead of ending the program.
class Interrupts {
 public:
  Interrupts() {
    pending_ = 0;
    handle_with(remember);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~Interrupts() {
    handle_with(SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that came, or 0.
  static int pending() { return pending_; }

 private:
  static void handle_with(void (*handler)(int)) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup, or a shell's &
    }
  }

  /// `timeout`, a terminal and many supervisors send a signal to the program and to its group: it comes twice at once.
  static void remember(int signal) {
    static timespec first;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds =
        std::difftime(now.tv_sec, first.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec - first.tv_nsec);
    if (pending_ == 0) {
      first = now;
      pending_ = signal;
    } else if (seconds >= 1) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }

  static inline volatile std::sig_atomic_t pending_ = 0;
};

}  // namespace microgpt
