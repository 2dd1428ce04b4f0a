#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error.h"

namespace microgpt {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot read '" + path + "': " + reason); };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw fail("it is a directory; give a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw fail(std::generic_category().message(errno) + "; check the path");
  std::string bytes;
  if (const std::uintmax_t size = fs::file_size(path, ignored); size <= max_file_bytes) bytes.reserve(size);
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

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::ifstream open_file(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot load '" + path + "': " + reason); };
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw fail("it is a directory, a device or a pipe; give a file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  return in;
}

}  // namespace microgpt
