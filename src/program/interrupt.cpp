#include "program/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "program/print.h"

namespace microgpt {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void handle_with(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup, or a shell's &
  }
}

void remember(int signal) {
  pending_signal = signal;
  handle_with(SIG_DFL);
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

void with_patience(const std::function<void()>& save) {
  constexpr int tries_a_second = 4;
  const int before = Interrupts::pending();
  for (int tries = 0;; tries++) {
    try {
      return save();
    } catch (const Diverged&) {
      throw;
    } catch (const Error& error) {
      if (tries == 60 * tries_a_second || Interrupts::pending() != before) throw;
      if (tries == 0) tell(std::string(error.what()) + "; trying again for a minute");
    }
    ::usleep(1'000'000 / tries_a_second);
  }
}

}  // namespace microgpt
