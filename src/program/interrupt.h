// Signals that ask a long run to stop: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (the terminal was closed).
#pragma once

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
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that came, or 0.
  static int pending();
};

}  // namespace microgpt
