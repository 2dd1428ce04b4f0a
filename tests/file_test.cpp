#include "base/file.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

using namespace std::string_literals;

TEST_CASE("a file is read and written byte by byte, with the folders it lies in") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "a/b/c.txt";
  const std::string bytes = "\0\r\n\xff"s;
  write_file(file, bytes);
  CHECK(read_file(file) == bytes);
  write_file(file, "");
  CHECK(read_file(file) == "");
}

TEST_CASE("a file that is missing or a directory is refused by name, with the reason") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "names.txt";
  const std::string missing = "cannot read '" + file.string() + "': No such file or directory; check the path";
  CHECK_THROWS_WITH_AS(read_file(file), missing.c_str(), Error);
  CHECK_THROWS_WITH_AS(read_file(directory.path), doctest::Contains("it is a directory"), Error);
}

TEST_CASE("a file that cannot be written is refused by name") {
  const TemporaryDirectory directory;
  const std::string refusal = "cannot write '" + directory.path.string() + "'";
  CHECK_THROWS_WITH_AS(write_file(directory.path, "x"), doctest::Contains(refusal.c_str()), Error);
}

}  // namespace
}  // namespace microgpt
