// The program as a user runs it: a child process whose streams lead to files or to a terminal, and what it prints.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "temporary_directory.h"

namespace microgpt {

/// What a program did.
struct Run {
  int exit_code = 0;  // 128 + its number where a signal ended the program
  std::string out;    // on a terminal that both streams share, both
  std::string err;
};

/// Where its streams lead: to files that are read and forgotten, unless told otherwise.
struct Streams {
  bool out_on_terminal = false;
  bool err_on_terminal = false;  // with the other one: the same terminal
  std::string out_file = {};
  unsigned short columns = 80;  // of the terminal
  std::string term = "xterm";   // the kind of terminal, TERM
  bool does_not_block = false;  // standard output fails where it would have to wait
};

class Terminal {
 public:
  explicit Terminal(unsigned short columns) : ours_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (::grantpt(ours_) != 0 || ::unlockpt(ours_) != 0) throw std::runtime_error("no terminal is to be had");
    theirs_ = ::open(path().c_str(), O_RDWR | O_NOCTTY);
    termios as_it_comes{};
    ::tcgetattr(theirs_, &as_it_comes);
    as_it_comes.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // else every \n would become \r\n
    ::tcsetattr(theirs_, TCSANOW, &as_it_comes);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(theirs_, TIOCSWINSZ, &size);
    ::fcntl(ours_, F_SETFL, O_NONBLOCK);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(theirs_);  // not before: when nobody has it open any more, what was written last may be lost
    ::close(ours_);
  }

  /// What a program opens to write on it.
  std::string path() const { return ::ptsname(ours_); }

  /// Adds what has been written since. Returns false: there may be more.
  bool read() {
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = ::read(ours_, bytes.data(), bytes.size())) > 0;) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return false;
  }

  std::string text;

 private:
  int ours_;
  int theirs_;
};

/// A command that runs beside the test. If it is still there when this goes, it is killed.
class Running {
 public:
  explicit Running(std::vector<std::string> command, const Streams& streams = {}) : streams_(streams) {
    write_contents(files_ / "out", "");
    write_contents(files_ / "err", "");
    if (streams.out_on_terminal || streams.err_on_terminal) terminal_.emplace(streams.columns);
    const std::string out_file = streams.out_file.empty() ? (files_ / "out").string() : streams.out_file;
    const std::string out = streams.out_on_terminal ? terminal_->path() : out_file;
    const std::string err = streams.err_on_terminal ? terminal_->path() : (files_ / "err").string();
    ::setenv("TERM", streams.term.c_str(), 1);
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(::open(out.c_str(), O_WRONLY | O_NOCTTY | (streams.does_not_block ? O_NONBLOCK : 0)), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_NOCTTY), STDERR_FILENO);
    ::alarm(180);  // a program that hangs; none takes more than a few seconds
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (child_ == 0) return;
    send(SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  void send(int signal) const { ::kill(child_, signal); }

  /// Waits until fact() holds. False if the command ended before.
  template <class Fact>
  bool until(Fact fact) const {
    siginfo_t ended{};
    while (!fact()) {
      ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) return fact();
      ::usleep(10'000);
    }
    return true;
  }

  /// Waits until standard output, a file, has this text.
  bool until_printed(const std::string& text) const {
    return until([&] { return contents(files_ / "out").find(text) != std::string::npos; });
  }

  /// The same of standard error.
  bool until_told(const std::string& text) const {
    return until([&] { return contents(files_ / "err").find(text) != std::string::npos; });
  }

  /// What it did, when it has ended.
  Run wait() {
    if (terminal_) until([&] { return terminal_->read(); });  // the last time when the command has ended
    int status = 0;
    ::waitpid(std::exchange(child_, 0), &status, 0);
    Run result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(files_ / "out"),
               contents(files_ / "err")};
    if (terminal_) (streams_.out_on_terminal ? result.out : result.err) += terminal_->text;
    return result;
  }

 private:
  Streams streams_;
  TemporaryDirectory files_;
  std::optional<Terminal> terminal_;
  pid_t child_ = 0;
};

inline Run run(std::vector<std::string> command, const Streams& streams = {}) {
  return Running(std::move(command), streams).wait();
}

using Words = std::vector<std::string>;

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The command microgpt. Throws std::runtime_error if MICROGPT_PROGRAM does not say where it is; `make test` does.
inline Words microgpt_command(const Words& arguments) {
  const char* program = ::getenv("MICROGPT_PROGRAM");
  if (program == nullptr) throw std::runtime_error("set MICROGPT_PROGRAM, to build/release/microgpt for instance");
  return Words{program} + arguments;
}

inline Run microgpt(const Words& arguments, const Streams& streams = {}) {
  return run(microgpt_command(arguments), streams);
}

/// The lines of a text, without their ends.
inline Words lines(const std::string& text) {
  Words result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

// --- What it prints --------------------------------------------------------------------------------------------------

/// Standard output of a run that must succeed and leave standard error empty.
inline std::string output(const Words& arguments) {
  const Run r = microgpt(arguments);
  std::string command = "microgpt";
  for (const std::string& word : arguments) command += " " + word;
  INFO(command);
  CHECK(r.exit_code == 0);
  CHECK(r.err == "");
  return r.out;
}

inline Words lines_that_begin(const std::string& with, const std::string& text) {
  Words found;
  for (const std::string& line : lines(text)) {
    if (line.starts_with(with)) found.push_back(line);
  }
  return found;
}

/// What stands behind `label` on the one line that begins with it.
inline std::string behind(const std::string& label, const std::string& text) {
  const Words found = lines_that_begin(label, text);
  REQUIRE_MESSAGE(found.size() == 1, label);
  return found[0].substr(label.size());
}

/// The lines of `text` without the one that tells of threads.
inline Words without_threads(const std::string& text) {
  Words all = lines(text);
  std::erase_if(all, [](const std::string& line) { return line.starts_with("threads: "); });
  return all;
}

/// The names of the lines "sample  1: kamon".
inline Words names(const std::string& text) {
  Words found = lines_that_begin("sample", text);
  for (std::string& line : found) line = line.substr(line.find(": ") + 2, line.find("  (in") - line.find(": ") - 2);
  return found;
}

/// The losses of the lines "step    1 / 1000 | loss 3.3660".
inline std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  for (const std::string& line : lines_that_begin("step", text)) {
    found.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  return found;
}

inline double mean(const double* first, const double* last) {
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

// --- What it refuses -------------------------------------------------------------------------------------------------

/// "2: --steps is '0'; ...": the exit code and the one line, or what is wrong with them.
inline std::string complaint(const Run& r) {
  const Words complaints = lines(r.err);
  if (complaints.size() != 1 || !r.err.ends_with("\n")) return "not one line: " + r.err;
  auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const bool printable = std::none_of(complaints[0].begin(), complaints[0].end(), is_control);
  if (!printable || !complaints[0].starts_with("microgpt: ")) return "not as it should be: " + complaints[0];
  return fmt::format("{}{}", r.exit_code, complaints[0].substr(complaints[0].find(": ")));
}

/// The same of a run that must not print anything else.
inline std::string refusal(const Words& arguments) {
  const Run r = microgpt(arguments);
  return r.out.empty() ? complaint(r) : "printed something: " + r.out;
}

/// "train --steps 5" as words.
inline Words words_of(const std::string& command) {
  std::istringstream in(command);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Each command is refused, and says this, from "2: " or "1: " on or in its middle.
inline void check_refused(const std::vector<std::pair<std::string, std::string>>& table) {
  for (const auto& [command, words] : table) {
    const std::string said = command + ": " + refusal(words_of(command));
    CHECK_MESSAGE(said.find(words) != std::string::npos, said);
  }
}

/// Runs a script of the shell in which "$0" is the program and "$@" the arguments.
inline Run in_shell(const std::string& script, const Words& arguments) {
  return run(Words{"/bin/sh", "-c", script, ::getenv("MICROGPT_PROGRAM")} + arguments);
}

/// What the published program printed. A line "step 1 / 500 | loss 3.3022 | 3.302216429676858" has both kinds of
/// digits.
inline Words golden_lines(const std::string& run, bool all_digits) {
  Words expected = lines(contents("tests/golden/microgpt/" + run + ".txt"));
  for (std::string& line : expected) {
    const std::size_t bar = line.rfind(" | ");
    if (!line.starts_with("step")) continue;
    if (all_digits) line.replace(line.find("loss ") + 5, bar + 3 - line.find("loss ") - 5, "");
    if (!all_digits) line.erase(bar);
  }
  return expected;
}

// --- Where it runs ---------------------------------------------------------------------------------------------------

/// Names enough to learn a little from, in tests that need not wait for thousands.
constexpr const char* few_names =
    "anna\nbela\ncara\ndora\nelena\nfina\ngina\nhana\nida\njana\nkira\nlena\nmara\nnora\nola\npia\nrosa\nsara\ntina\num"
    "a\n";

/// A directory with a file of names.
struct NamesFolder : TemporaryDirectory {
  explicit NamesFolder(const std::string& text = few_names) { write_contents(names, text); }

  std::string file(const std::string& name) const { return (path / name).string(); }
  Words train(const Words& more = {}) const { return Words{"train", "--data", names} + more; }
  /// The path of a model that was trained so.
  std::string trained(const Words& how) const {
    output(train(how + Words{"--save", file("model")}));
    return file("model");
  }

  std::string names = file("names.txt");
};

/// A directory with names, and a trained model.
struct ModelFolder : NamesFolder {
  ModelFolder() { bytes = contents(trained({"--steps", "20", "--block-size", "8"})); }
  /// The path of a new file.
  std::string written(const std::string& name, const std::string& text) const {
    write_contents(path / name, text);
    return file(name);
  }
  /// The names and the model are what they were, and nothing else is there.
  bool untouched() const { return count() == 2 && contents(model) == bytes && contents(names) == few_names; }

  std::string model = file("model");
  std::string bytes;  // of the model
};

/// The address sanitizer needs all the addresses itself, so there the memory of the program cannot be limited.
inline const bool sanitized =
    std::string(::getenv("MICROGPT_PROGRAM") ? ::getenv("MICROGPT_PROGRAM") : "").find("/asan/") != std::string::npos;

}  // namespace microgpt
