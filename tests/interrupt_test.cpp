#include "program/interrupt.h"
#include "program/print.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace microgpt {
namespace {

/// How a child process ends in which these signals come, some microseconds apart, while Interrupts lives: the number of
/// the signal that ends it, or 100 and the pending signal, if it goes on. The tests themselves may run with one
/// ignored.
int end_after(int first, int second, int ignored = 0, unsigned pause = 0) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, signal == ignored ? SIG_IGN : SIG_DFL);
    const Interrupts interrupts;
    if (first != 0) ::raise(first);
    ::usleep(pause);
    if (second != 0) ::raise(second);
    ::_exit(100 + Interrupts::pending());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_CASE("the first signal is remembered; another ends the program, unless it comes within a second") {
  CHECK(end_after(0, 0) == 100);
  CHECK(end_after(0, SIGPIPE) == 100);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CHECK(end_after(signal, signal) == 100 + signal);
    CHECK(end_after(signal, SIGTERM, 0, 300'000) == 100 + signal);
  }
  CHECK(end_after(SIGINT, SIGTERM, 0, 1'000'000) == SIGTERM);
}

TEST_CASE("where nohup or a shell has the program ignore a signal, it stays ignored, also after another") {
  for (const int ignored : {SIGHUP, SIGINT}) {
    CHECK(end_after(ignored, ignored, ignored) == 100);
    CHECK(end_after(SIGTERM, ignored, ignored) == 100 + SIGTERM);
  }
}

TEST_CASE("why standard output cannot be written is told, also where something else has failed since" *
          doctest::skip(::access("/dev/full", W_OK) != 0)) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO);
    std::fputs("lost", stdout);
    std::fflush(stdout);
    errno = ENOTTY;
    try {
      flush_output();
    } catch (const std::system_error& error) {
      ::_exit(error.code().value());
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == ENOSPC);
}

}  // namespace
}  // namespace microgpt
