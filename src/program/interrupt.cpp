#include "program/interrupt.h"

#include <csignal>

namespace microgpt {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void handle_with(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
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

}  // namespace microgpt
