#include "base/file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/error.h"

namespace microgpt {

std::string read_file(const std::filesystem::path& path) {
  auto fail = [&](const std::string& reason) { return Error("cannot read '" + path.string() + "': " + reason); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("it is a directory; give a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail(std::generic_category().message(errno) + "; check the path");
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw fail("the read failed half-way");
  return bytes;
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) {
    throw Error("cannot write '" + path.string() + "': " + std::generic_category().message(errno) +
                "; check the folder and the space on the disk");
  }
}

}  // namespace microgpt
