// Machines that share no memory: processes, each with its own copy of everything, and a pipe from each to each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <span>
#include <vector>

#include "base/error.h"

namespace microgpt {

using Numbers = std::vector<double>;

/// Another machine has ended before it sent or took what was to be.
struct Gone : Error {
  explicit Gone(std::size_t number) : Error("machine " + std::to_string(number) + " does not answer") {}
};

/// A pipe between two machines: its two ends, as the system numbers them.
struct Pipe {
  std::array<int, 2> ends{};
  int read() const { return ends[0]; }
  int write() const { return ends[1]; }
};

/// One of `count` machines, seen from itself. They are numbered from 0.
class Machine {
 public:
  /// Starts the others: each is a copy of this process, which is machine 0, and all go on from here.
  explicit Machine(std::size_t count_) : count(count_), pipes_(count, std::vector<Pipe>(count)) {
    for (auto& row : pipes_) {
      for (Pipe& pipe : row) {
        if (::pipe(pipe.ends.data()) != 0) throw Error("no more pipes");
      }
    }
    std::signal(SIGPIPE, SIG_IGN);  // sending to a machine that has ended is an error, not the end
    std::fflush(stdout);
    for (std::size_t other = 1; other < count && number == 0; other++) {
      const pid_t child = ::fork();  // returns twice: here, and with 0 in the new process
      if (child < 0) throw Error("no more processes");
      if (child == 0) number = other;
      others_.push_back(child);
    }
    for (std::size_t from = 0; from < count; from++) {
      for (std::size_t to = 0; to < count; to++) {  // of other machines' pipes, it keeps nothing open
        if (from != number) ::close(pipes_[from][to].write());
        if (to != number) ::close(pipes_[from][to].read());
      }
    }
  }

  /// A machine that did not come to its end() ends here, and so do the others that wait for it.
  ~Machine() {
    if (number > 0) ::_exit(1);
    for (std::size_t other = 0; other < count; other++) {
      ::close(pipes_[0][other].write());
      ::close(pipes_[other][0].read());
    }
    for (const pid_t other : others_) ::waitpid(other, nullptr, 0);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// The others end here. Machine 0 goes on, and is told how many bytes each has sent. Throws Gone if one is missing.
  std::vector<std::size_t> end() {
    if (number > 0) {
      const auto sent = static_cast<double>(bytes_sent);
      send(0, {&sent, 1});
      ::_exit(0);
    }
    std::vector<std::size_t> sent{bytes_sent};
    for (std::size_t from = 1; from < count; from++) {
      double bytes = 0;
      receive(from, {&bytes, 1});
      sent.push_back(static_cast<std::size_t>(bytes));
    }
    return sent;
  }

  /// Sends numbers to a machine. Throws Gone if it has ended.
  void send(std::size_t to, std::span<const double> numbers) {
    const auto bytes = std::as_bytes(numbers);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(pipes_[number][to].write(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;  // a signal came in between
      if (n <= 0) throw Gone(to);
      done += static_cast<std::size_t>(n);
    }
    bytes_sent += bytes.size();
  }

  /// Waits for as many numbers as there is room for. Throws Gone if the machine ends before it has sent them.
  void receive(std::size_t from, std::span<double> numbers) {
    const auto bytes = std::as_writable_bytes(numbers);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::read(pipes_[from][number].read(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Gone(from);
      done += static_cast<std::size_t>(n);
    }
  }

  const std::size_t count;
  std::size_t number = 0;
  std::size_t bytes_sent = 0;

 private:
  std::vector<std::vector<Pipe>> pipes_;
  std::vector<pid_t> others_;
};

}  // namespace microgpt
