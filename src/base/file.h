// Reads files. Errors name the file and the reason. (Writing: replace_file.h)
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace microgpt {

/// The limit of read_file(), so that an endless file, such as /dev/zero, ends with a message.
inline constexpr std::size_t max_file_bytes = 100'000'000;

/// Returns every byte of a file. Throws Error if it is missing, a directory, cannot be read, or is too long.
std::string read_file(const std::string& path);

/// The text as one word of a shell's command, in quotes.
std::string shell_word(const std::string& text);

/// Opens a file for reading. Throws Error if it is missing or not a regular file.
std::ifstream open_file(const std::string& path);

}  // namespace microgpt
