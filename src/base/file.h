// Reads files. Errors name the file and the reason. (Writing: replace_file.h)
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.h"

namespace microgpt {

/// The limit of read_file(), so that an endless file, such as /dev/zero, ends with a message.
inline constexpr std::size_t max_file_bytes = 100'000'000;

/// Returns every byte of a file. Throws Error if it is missing, a directory, cannot be read, or is too long.
inline std::string read_file(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot read '" + path + "': " + reason); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("it is a directory; give a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw fail(std::generic_category().message(errno) + "; check the path");
  std::string bytes;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (size <= max_file_bytes) bytes.reserve(size);
  std::array<char, 65536> piece{};
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    bytes.append(piece.data(), n);
    if (bytes.size() > max_file_bytes) {
      throw fail("it has more than " + std::to_string(max_file_bytes) + " bytes; give a smaller file");
    }
  }
  if (std::ferror(file.get()) != 0) throw fail(std::generic_category().message(errno) + "; give another file");
  return bytes;
}

/// The text as one word of a shell's command, in quotes.
inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

/// Opens a file for reading. Throws Error if it is missing or not a regular file.
inline std::ifstream open_file(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot load '" + path + "': " + reason); };
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw fail("it is a directory, a device or a pipe; give a file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  return in;
}

}  // namespace microgpt
