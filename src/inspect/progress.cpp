#include "inspect/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace microgpt {
namespace {

constexpr const char* clear_to_end = "\x1b[K";

bool is_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

Progress::Progress(std::size_t total, bool quiet)
    : total_(total),
      quiet_(quiet),
      rewrite_(!quiet && is_terminal(STDOUT_FILENO)),
      draw_(!quiet && is_terminal(STDERR_FILENO)) {}

std::string Progress::bar(std::size_t done) const {
  constexpr std::size_t width = 24;
  const std::size_t filled = done * width / total_;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(total_ - done) / rate;
  std::string cells;
  for (std::size_t i = 0; i < width; i++) cells += i < filled ? "█" : "░";
  return fmt::format("{} {:3}% {:.0f} steps/s, {:.0f} s left", cells, done * 100 / total_, rate, left);
}

void Progress::show(std::size_t done, const std::string& line) {
  if (quiet_) return;
  if (!rewrite_) fmt::print("{}\n", line);
  if (!rewrite_ && !draw_) return;

  const bool last = done == total_;
  const Clock::time_point now = Clock::now();
  if (now < next_ && !last) return;
  next_ = now + std::chrono::milliseconds(50);
  if (rewrite_) fmt::print("\r{}", line);
  std::fflush(stdout);
  // On one terminal the bar follows the step line; alone it begins the line. When all is done it goes.
  if (draw_) fmt::print(stderr, "{}{}{}", rewrite_ ? "  " : "\r", last ? "" : bar(done), clear_to_end);
  if (rewrite_ && last) fmt::print("\n");
}

}  // namespace microgpt
