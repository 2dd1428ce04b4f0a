#include "program/interrupt.h"

#include <csignal>
#include <ctime>

namespace microgpt {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void handle_with(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup, or a shell's &
  }
}

/// `timeout`, a terminal and many supervisors send a signal to the program and to its group: it comes twice at once.
void remember(int signal) {
  static timespec first;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds =
      std::difftime(now.tv_sec, first.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec - first.tv_nsec);
  if (pending_signal == 0) {
    first = now;
    pending_signal = signal;
  } else if (seconds >= 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

Interrupts::Interrupts() {
  pending_signal = 0;
  handle_with(remember);
  std::signal(SIGPIPE, SIG_IGN);
}

Interrupts::~Interrupts() {
  handle_with(SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
}

int Interrupts::pending() { return pending_signal; }

}  // namespace microgpt
