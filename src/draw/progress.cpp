#include "draw/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace microgpt {
namespace {

constexpr const char* clear_to_end = "\x1b[K";

std::size_t columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool can_rewrite(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

TerminalLine::TerminalLine() : is_shown_(can_rewrite(STDERR_FILENO)) {}

TerminalLine::~TerminalLine() {
  if (next_ != std::chrono::steady_clock::time_point{}) std::fputs("\r\x1b[K", stderr);
}

void TerminalLine::show(const std::string& text) {
  if (!is_due()) return;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  std::fputs(("\r" + text.substr(0, columns(STDERR_FILENO) - 1) + clear_to_end).c_str(), stderr);
}

Progress::Progress(std::size_t total, bool quiet)
    : total_(total), quiet_(quiet), rewrite_(can_rewrite(STDOUT_FILENO)) {}

Progress::~Progress() {
  if (begun_) std::fputs("\n", stdout);
}

void Progress::show(std::size_t done, const std::string& line) {
  if (quiet_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = static_cast<double>(done) / seconds, left = static_cast<double>(total_ - done) / rate;
  const std::string time = fmt::format("{} %, {:.0f} steps/s, {:.0f} s left", done * 100 / total_, rate, left);
  if (!rewrite_) {
    fmt::print("{}\n", line);
    return time_.show(time);
  }
  const bool last = done == total_;
  if (Clock::now() < next_ && !last) return;
  next_ = Clock::now() + std::chrono::milliseconds(50);
  begun_ = true;
  // While the line will be rewritten, it must fit into one line of the terminal.
  fmt::print("\r{}{}", last ? line : (line + "  " + time).substr(0, columns(STDOUT_FILENO) - 1), clear_to_end);
  std::fflush(stdout);
}

}  // namespace microgpt
