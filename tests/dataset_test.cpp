#include "base/dataset.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

using Documents = std::vector<Document>;
using namespace std::string_literals;

/// What parse_documents complains of.
std::string complaint(const std::string& text) {
  try {
    parse_documents(text, "names.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("lines end with \\n, \\r\\n or \\r, the last perhaps with nothing") {
  const Documents expected{U"anna", U"bo", U"cleo", U"dan"};
  CHECK((parse_documents("anna\r\nbo\rcleo\ndan", "") == expected));
  CHECK((parse_documents("anna\nbo\ncleo\ndan\n", "") == expected));
}

TEST_CASE("blank lines are no documents") {
  CHECK((parse_documents("\n\nanna\n \t\n\r\r\n\u3000\nbo\n\n", "") == Documents{U"anna", U"bo"}));
}

TEST_CASE("documents are stripped of Unicode white space, not of what is inside") {
  CHECK((parse_documents("\u00a0\u2003anna lena\u3000 \n", "") == Documents{U"anna lena"}));
}

TEST_CASE("a character is a code point, also beyond the first 65,536") {
  CHECK((parse_documents("zo\u00eb\n\U0001f600\n", "") == Documents{U"zo\u00eb", U"\U0001f600"}));
}

TEST_CASE("what is not UTF-8 is refused with file and line") {
  for (const char* bytes : {"\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    const std::string message = complaint("anna\r\n\rbo\n"s + bytes + "\ncleo");
    CHECK(message.starts_with("names.txt:4: "));
    CHECK(message.find("UTF-8") != std::string::npos);
  }
}

TEST_CASE("documents that are not in the file they should be in are missed by its name") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "names.txt";
  CHECK_THROWS_WITH_AS(read_documents(file), doctest::Contains(file.c_str()), Error);
  write_contents(file, " \n");
  CHECK_THROWS_WITH_AS(read_documents(file), doctest::Contains((file.string() + ": no documents").c_str()), Error);
  write_contents(file, "anna\r\nbo\n");
  CHECK((read_documents(file) == Documents{U"anna", U"bo"}));
}

TEST_CASE("the names that come with the project are all there") {
  CHECK(read_documents("data/names.txt").size() == 18293);
}

}  // namespace
}  // namespace microgpt
