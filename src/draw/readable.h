// Large numbers as people read them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

namespace microgpt {

/// "512 B", "67.5 KiB", "1.2 GiB".
inline std::string readable_bytes(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = bytes / 1024;
  std::size_t unit = 0;
  for (; amount >= 1023.95 && unit + 1 < units.size(); unit++) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

/// "4192", "12.3M", "6.738B".
inline std::string readable_count(std::size_t count) {
  if (count < 1'000'000) return fmt::format("{}", count);
  if (count < 1'000'000'000) return fmt::format("{:.1f}M", static_cast<double>(count) / 1e6);
  return fmt::format("{:.3f}B", static_cast<double>(count) / 1e9);
}

}  // namespace microgpt
