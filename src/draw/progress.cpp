#include "draw/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
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
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
}

void TerminalLine::show(const std::string& text) {
  if (!is_due()) return;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  std::fputs(("\r" + text.substr(0, columns(STDERR_FILENO) - 1) + clear_to_end).c_str(), stderr);
}

Progress::Progress(std::size_t total, bool quiet)
    : total_(total), quiet_(quiet), rewrite_(can_rewrite(STDOUT_FILENO)), draw_(can_rewrite(STDERR_FILENO)) {}

Progress::~Progress() {
  if (!begun_) return;
  if (rewrite_) {
    std::fputs("\n", stdout);
  } else {
    std::fputs("\r\x1b[K", stderr);
  }
}

std::string Progress::bar(std::size_t done, std::size_t room) const {
  constexpr std::size_t width = 24;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(total_ - done) / rate;
  const std::string text = fmt::format(" {:3}% {:.0f} steps/s, {:.0f} s left", done * 100 / total_, rate, left);
  if (text.size() >= room) return "";
  const std::size_t cells = std::min(width, room - text.size());
  const std::size_t filled = done * cells / total_;
  std::string bar;
  for (std::size_t i = 0; i < cells; i++) bar += i < filled ? "█" : "░";
  return bar + text;
}

void Progress::show(std::size_t done, const std::string& line) {
  if (quiet_) return;
  if (!rewrite_) fmt::print("{}\n", line);
  if (!rewrite_ && !draw_) return;

  const bool last = done == total_;
  const Clock::time_point now = Clock::now();
  if (now < next_ && !last) return;
  next_ = now + std::chrono::milliseconds(50);
  begun_ = true;
  const std::size_t width = columns(rewrite_ ? STDOUT_FILENO : STDERR_FILENO);
  // While the line will be rewritten, it must fit into one line of the terminal.
  const std::string text = last ? line : line.substr(0, width - 1);
  if (rewrite_) fmt::print("\r{}{}", text, clear_to_end);
  std::fflush(stdout);
  if (!draw_) return;
  // If both streams are terminals, the bar follows the step line; otherwise it begins the line. At the end it is
  // erased.
  const std::string before = rewrite_ ? "  " : "\r";
  const std::size_t taken = rewrite_ ? text.size() + before.size() : 0;
  const std::string drawn = last ? "" : bar(done, width - std::min(width, taken + 1));
  std::fputs((rewrite_ && drawn.empty() ? "" : before + drawn + clear_to_end).c_str(), stderr);
}

}  // namespace microgpt
