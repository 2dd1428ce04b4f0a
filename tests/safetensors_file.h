// Safetensors files put together by hand, byte by byte, and what a reader finds wrong with them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace microgpt {

/// A number as the file has it, least byte first.
inline std::string little_endian(std::uint64_t number, int bytes = 8) {
  std::string text;
  for (int i = 0; i < bytes; i++) text += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  return text;
}

inline std::string file(const std::string& header, const std::string& numbers) {
  return little_endian(header.size()) + header + numbers;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

/// What parse() finds wrong, without the beginning and the end that every message has.
template <typename Parse>
std::string refusal_of(Parse parse, const std::string& begin, const std::string& end) {
  try {
    parse();
  } catch (const UsageError&) {
    return "a UsageError, although nobody asked for this";
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool printable =
        std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; });
    if (!message.starts_with(begin) || !message.ends_with(end) || !printable) return "not as it should be: " + message;
    return message.substr(begin.size(), message.size() - begin.size() - end.size());
  }
  return "nothing";
}

/// Reads every version of the bytes that has one bit or one byte flipped. Each may be refused, with an Error and
/// nothing worse. Returns how many are read as being `right`.
template <typename Right>
std::size_t read_though_flipped(const std::string& bytes, Right right) {
  std::size_t read = 0;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    for (const unsigned flip : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ flip);
      try {
        read += right(flipped) ? 1 : 0;
      } catch (const Error&) {
        continue;
      }
    }
  }
  return read;
}

}  // namespace microgpt
