#include "program/interrupt.h"

#include <csignal>

namespace microgpt {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) {
  pending_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

Interrupts::Interrupts() {
  pending_signal = 0;
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
  std::signal(SIGPIPE, SIG_IGN);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
}

int Interrupts::pending() { return pending_signal; }

}  // namespace microgpt
