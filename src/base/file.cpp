#include "base/file.h"

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/error.h"

namespace microgpt {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot read '" + path + "': " + reason); };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw fail("it is a directory; give a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw fail("the read failed half-way");
  return bytes;
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

void write_file(const std::string& path, const std::string& bytes) {
  std::error_code ignored;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder, ignored);
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) {
    throw Error("cannot write '" + path + "': " + std::generic_category().message(errno) +
                "; check the folder and the space on the disk");
  }
}

}  // namespace microgpt
