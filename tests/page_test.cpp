// The page as a file: its data stay data, and it needs nothing else.
#include <doctest/doctest.h>

#include <regex>

#include "base/activation.h"
#include "base/base64.h"
#include "page/page.h"

namespace microgpt {
namespace {

TEST_CASE("base64 is that of RFC 4648, section 10") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("text that looks like HTML cannot leave the data of the page") {
  const std::string page = inspector_page(R"({"text":"</script><!-- /*STYLE*/ <script>"})");
  CHECK(page.find(R"({"text":"\u003c/script>\u003c!-- /*STYLE*/ \u003cscript>"})") != std::string::npos);
  CHECK(page.find("/*SCRIPT*/") == std::string::npos);
  CHECK(page.find("/*DATA*/") == std::string::npos);
}

TEST_CASE("the page knows every activation") {
  for (const NamedActivation& one : all_activations) {
    CHECK(inspector_page("{}").find(std::string("\n  ") + one.name + ": (tape") != std::string::npos);
  }
}

TEST_CASE("the page names no host and forbids every connection") {
  const std::string page = inspector_page("{}");
  CHECK_FALSE(std::regex_search(page, std::regex("[a-z]://|src=|url\\(|@import")));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("connect-src 'none'") != std::string::npos);
}

}  // namespace
}  // namespace microgpt
