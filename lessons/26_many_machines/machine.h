// Machines that share no memory: processes, each with its own copy of everything, and a pipe from each to each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
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
  Machine(std::size_t number_, std::size_t count_, const std::vector<std::vector<Pipe>>& pipes)
      : number(number_), count(count_), pipes_(pipes) {
    for (std::size_t from = 0; from < count; from++) {
      for (std::size_t to = 0; to < count; to++) {  // of other machines' pipes, it keeps nothing open
        if (from != number) ::close(pipes[from][to].write());
        if (to != number) ::close(pipes[from][to].read());
      }
    }
  }
  ~Machine() {
    for (std::size_t other = 0; other < count; other++) {
      ::close(pipes_[number][other].write());
      ::close(pipes_[other][number].read());
    }
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Sends numbers to a machine. Throws Gone if it has ended.
  void send(std::size_t to, std::span<const double> numbers) {
    const auto bytes = std::as_bytes(numbers);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(pipes_[number][to].write(), bytes.data() + done, bytes.size() - done);
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
      if (n <= 0) throw Gone(from);
      done += static_cast<std::size_t>(n);
    }
  }

  const std::size_t number, count;
  std::size_t bytes_sent = 0;

 private:
  const std::vector<std::vector<Pipe>>& pipes_;
};

/// Starts the program on so many machines: each calls work with itself. Machine 0 is this process, so what its work
/// changes, stays changed. Returns how many bytes each has sent. Throws Gone if machine 0 is left alone.
inline std::vector<std::size_t> on_machines(std::size_t count, const std::function<void(Machine&)>& work) {
  std::vector<std::vector<Pipe>> pipes(count, std::vector<Pipe>(count));
  for (auto& row : pipes) {
    for (Pipe& pipe : row) {
      if (::pipe(pipe.ends.data()) != 0) throw Error("no more pipes");
    }
  }
  std::signal(SIGPIPE, SIG_IGN);  // sending to a machine that has ended is an error, not the end
  std::fflush(stdout);
  std::vector<pid_t> others;
  for (std::size_t number = 1; number < count; number++) {
    const pid_t child = ::fork();  // returns twice: here, and with 0 in the new process
    if (child < 0) throw Error("no more processes");
    if (child > 0) {
      others.push_back(child);
      continue;
    }
    try {
      Machine machine(number, count, pipes);
      work(machine);
      const auto sent = static_cast<double>(machine.bytes_sent);
      machine.send(0, {&sent, 1});
      ::_exit(0);
    } catch (const Gone&) {
      ::_exit(1);
    }
  }
  auto wait = [&] {
    for (const pid_t child : others) ::waitpid(child, nullptr, 0);
  };
  try {
    Machine machine(0, count, pipes);
    work(machine);
    std::vector<std::size_t> sent{machine.bytes_sent};
    for (std::size_t from = 1; from < count; from++) {
      double bytes = 0;
      machine.receive(from, {&bytes, 1});
      sent.push_back(static_cast<std::size_t>(bytes));
    }
    wait();
    return sent;
  } catch (const Gone&) {  // by now machine 0 has closed its pipes, so the others end, too
    wait();
    throw;
  }
}

}  // namespace microgpt
