#include "draw/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace microgpt {
namespace {

/// Whether a line there can be rewritten: on a terminal, but not on a dumb one.
bool can_rewrite(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

TerminalLine::TerminalLine() : is_shown_(can_rewrite(STDERR_FILENO)) {}

TerminalLine::~TerminalLine() {
  if (next_ != std::chrono::steady_clock::time_point{}) std::fputs("\r\x1b[K", stderr);
}

void TerminalLine::show(const std::string& text) {
  if (!is_due()) return;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  std::fputs(("\r" + text.substr(0, (is_known ? size.ws_col : 80U) - 1) + "\x1b[K").c_str(), stderr);
}

Progress::Progress(std::size_t total, bool quiet)
    : total_(total), quiet_(quiet), rewrite_(can_rewrite(STDOUT_FILENO)) {}

void Progress::show(std::size_t done, const std::string& line) {
  if (quiet_) return;
  if (done < total_) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double rate = static_cast<double>(done) / spent.count(), left = static_cast<double>(total_ - done) / rate;
    const std::string time = fmt::format("{} %, {:.0f} steps/s, {:.0f} s left", done * 100 / total_, rate, left);
    line_->show(rewrite_ ? line + "  " + time : time);
  } else {
    line_.reset();  // erases it
  }
  if (done == total_ || !rewrite_) fmt::print("{}\n", line);
}

}  // namespace microgpt
