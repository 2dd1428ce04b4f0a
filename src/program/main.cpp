// The program. Its commands stand in commands.h.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "base/error.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/print.h"
#include "train/checkpoint.h"
#include "train/processes.h"

#ifndef __has_feature  // the sanitizers take more addresses than the machine has memory
#define __has_feature(feature) 0
#endif

#ifdef __linux__
/// A program made with -march=native may have been copied to an older processor. 101: before any other static object.
/// The line is static, as a copy of it on the stack may be made by an instruction that is lacking.
[[gnu::constructor(101)]] static void name_illegal_instructions() {
  std::signal(SIGILL, [](int) {
    static const char line[] = "this processor lacks an instruction that was compiled in; try: make build NATIVE=0\n";
    ::_exit(::write(STDERR_FILENO, line, sizeof line - 1) > 0 ? 1 : 2);
  });
}
#endif

int main(int argc, char** argv) {
  using namespace microgpt;
  auto fail = [](const std::string& message, int code) {
    std::fflush(stdout);
    tell(processes::first_error(message));
    processes::end_with_first();
    return code;
  };
  // If a standard stream is closed, the next file that is opened takes its place, and messages go into it. So the place
  // is taken by what nothing can be written to.
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDONLY);
  ::close(fd);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {  // writing to a pipe that is full waits, and does not fail
    ::fcntl(stream, F_SETFL, ::fcntl(stream, F_GETFL) & ~O_NONBLOCK);
  }
  // What is more than the machine has is refused when it is asked for. Else the system ends a program when it is used.
  std::set_new_handler([] {  // also in a thread that no exception may leave
    ::flockfile(stderr);  // for good: another thread that comes here must not say the same
    std::fputs("microgpt: out of memory; choose a smaller --batch, --n-embd, --n-layer or --block-size, or "
               "shorter documents\n", stderr);
    std::_Exit(1);
  });
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
  if (::getpid() == 1) {  // in a container: the kernel keeps signals from it unless it handles them
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int number) { ::_exit(128 + number); });
  }
  std::signal(SIGXFSZ, SIG_IGN);                  // writing to a file that has become too long fails, as on a full disk
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // so that what a killed program has printed is there
  try {
    processes::join([] { return Interrupts::pending() != 0; });
    run({train_command, sample_command, eval_command, inspect_command, heads_command, kv_command, task_command,
         bench_command},
        argc, argv);
    flush_output();
    processes::leave();
    return 0;
  } catch (const UsageError& error) {
    return fail(error.what(), 2);
  } catch (const Interrupted& stop) {
    return fail(stop.what(), 128 + stop.signal);
  } catch (const Diverged& error) {
    return fail(std::string(error.what()) + ", try a smaller --lr", 1);
  } catch (const ModelFileError& error) {
    return fail(std::string(error.what()) + "; make one with 'microgpt train --save FILE'", 1);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(error.what(), 1);
  } catch (const std::system_error& error) {  // from fmt::print; files throw Error
    return fail("cannot write to standard output: " + error.code().message(), 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
