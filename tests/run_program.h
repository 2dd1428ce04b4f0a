// The program as a user runs it: a child process whose streams lead to pipes, to a terminal or to a file.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "temporary_directory.h"

extern char** environ;

namespace microgpt {

/// What a program did.
struct Run {
  int exit_code = 0;  // 128 + its number where a signal ended the program
  std::string out;    // on a terminal that both streams share, both
  std::string err;
};

/// Where its streams lead: to pipes, unless told otherwise.
struct Streams {
  bool out_on_terminal = false;
  bool err_on_terminal = false;  // with the other one: the same terminal
  std::string out_file = {};
  unsigned short columns = 80;  // of the terminal
  std::string term = "xterm";   // the kind of terminal, TERM
};

/// Two ends of something to write into and read from.
class Channel {
 public:
  static Channel pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe is to be had");
    return {ends[0], ends[1]};
  }

  static Channel terminal(unsigned short columns) {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (ours < 0 || ::grantpt(ours) != 0 || ::unlockpt(ours) != 0) throw std::runtime_error("no terminal is to be had");
    const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY);
    termios as_it_comes{};
    ::tcgetattr(theirs, &as_it_comes);
    as_it_comes.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // else every \n would become \r\n
    ::tcsetattr(theirs, TCSANOW, &as_it_comes);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(theirs, TIOCSWINSZ, &size);
    return {ours, theirs};
  }

  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    close_end(ours_);
    close_end(theirs_);
  }

  int ours() const { return ours_; }
  int theirs() const { return theirs_; }
  void close_theirs() { close_end(theirs_); }

  /// Appends what has come. Closes our end when nothing more can come: then ours() is -1, which poll passes over.
  void read_into(std::string& text) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(ours_, bytes.data(), bytes.size());
    if (count > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    } else {  // a terminal ends with an error, a pipe with 0
      close_end(ours_);
    }
  }

 private:
  Channel(int ours, int theirs) : ours_(ours), theirs_(theirs) {}
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  int ours_;
  int theirs_;
};

/// Runs a command to its end. Throws std::runtime_error if it cannot begin or takes longer than a minute.
inline Run run(std::vector<std::string> command, const Streams& streams = {}) {
  Channel out = streams.out_on_terminal ? Channel::terminal(streams.columns) : Channel::pipe();
  Channel err = streams.err_on_terminal ? Channel::terminal(streams.columns) : Channel::pipe();
  const bool shared = streams.out_on_terminal && streams.err_on_terminal;

  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.theirs(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, shared ? out.theirs() : err.theirs(), STDERR_FILENO);
  if (!streams.out_file.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, streams.out_file.c_str(), O_WRONLY, 0);
  }
  ::setenv("TERM", streams.term.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot run " + command[0]);
  out.close_theirs();
  err.close_theirs();

  Run result;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  bool late = false;
  while (!late && (out.ours() >= 0 || err.ours() >= 0)) {
    std::array<pollfd, 2> ready{{{out.ours(), POLLIN, 0}, {err.ours(), POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), 1000);
    if (ready[0].revents != 0) out.read_into(result.out);
    if (ready[1].revents != 0) err.read_into(result.err);
    late = std::chrono::steady_clock::now() > deadline;
  }
  if (late) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (late) throw std::runtime_error("after a minute still running: " + command[0]);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// Runs microgpt. Throws std::runtime_error also if MICROGPT_PROGRAM does not say where it is; `make test` does.
inline Run microgpt(std::vector<std::string> arguments, const Streams& streams = {}) {
  const char* program = ::getenv("MICROGPT_PROGRAM");
  if (program == nullptr) throw std::runtime_error("set MICROGPT_PROGRAM, to build/release/microgpt for instance");
  arguments.insert(arguments.begin(), program);
  return run(arguments, streams);
}

using Words = std::vector<std::string>;

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The lines of a text, without their ends.
inline Words lines(const std::string& text) {
  Words result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

/// Names enough to learn a little from, in tests that need not wait for thousands.
constexpr const char* few_names =
    "anna\nbela\ncara\ndora\nelena\nfina\ngina\nhana\nida\njana\nkira\nlena\nmara\nnora\nola\npia\nrosa\nsara\ntina\num"
    "a\n";

/// A directory with a file of names.
struct NamesFolder : TemporaryDirectory {
  explicit NamesFolder(const std::string& text = few_names) { write_contents(names, text); }

  std::string file(const std::string& name) const { return (path / name).string(); }
  Words train(const Words& more = {}) const { return Words{"train", "--data", names} + more; }

  std::string names = file("names.txt");
};

}  // namespace microgpt
