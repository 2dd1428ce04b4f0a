// microgpt inspect --html as a user meets it: one page, replaced whole or not at all, in which text stays text.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "draw/readable.h"
#include "program.h"

namespace microgpt {
namespace {

/// A model, and a page from before.
struct PageFolder : ModelFolder {
  Words inspect(const std::string& a_model, const Words& more = {}) const {
    return Words{"inspect", a_model, "--html", page, "--data", names} + more;
  }
  /// The page is the one from before, and nothing is left beside it.
  bool is_old() const { return contents(page) == "old" && count() == 3; }

  std::string page = written("page.html", "old");
};

TEST_CASE("inspect --html replaces a page, and says how large the new one is") {
  const PageFolder folder;
  const Run r = microgpt(folder.inspect(folder.model));
  CHECK(complaint(r) == "0: wrote " + folder.page + ", " + readable_bytes(contents(folder.page).size()));
  CHECK(r.out == "");
  CHECK(contents(folder.page).starts_with("<!doctype html>"));
  CHECK(folder.count() == 3);
}

TEST_CASE("a model too large for a page is refused with its size and with what would fit") {
  const PageFolder folder;
  const std::string large = folder.file("large");
  const Run trained = microgpt(
      folder.train({"--engine", "tensor", "--n-embd", "512", "--steps", "1", "--samples", "1", "--save", large}));
  REQUIRE(trained.exit_code == 0);
  const std::string reason = "'" + large +
                             "' has 3175424 parameters; a page holds models of at most 2000000, such as n_layer 4 with "
                             "n_embd 192";
  CHECK(refusal(folder.inspect(large)) == "1: " + reason);
  CHECK(refusal(folder.inspect(folder.model, {"--compare", large})) == "1: " + reason);
  std::filesystem::remove(large);
  CHECK(folder.is_old());
  std::filesystem::remove(folder.page);
  CHECK(refusal(folder.inspect(large)) == "1: cannot load '" + large + "': No such file or directory; check the path");
  CHECK(folder.count() == 2);
}

TEST_CASE("a page that cannot be made leaves the old one as it is") {
  const PageFolder folder;
  CHECK(refusal(folder.inspect(folder.names)).starts_with("1: cannot load '" + folder.names + "': "));
  CHECK(refusal(folder.inspect(folder.model, {"--text", "Zoe"})) ==
        "2: the character 'Z' is unknown; the alphabet is 'abcdefghijklmnoprstu'");
  CHECK(refusal(folder.inspect(folder.model, {"--text", "\xff"})) == "2: --text is not valid UTF-8");
  // KiB; the page has more
  CHECK(complaint(in_shell("ulimit -f 64; exec \"$0\" \"$@\"", folder.inspect(folder.model))) ==
        "1: cannot write '" + folder.page + "': File too large; choose another path");
  CHECK(folder.is_old());
}

TEST_CASE("a model's file may have any name") {
  const PageFolder folder;
  for (const std::string name : {"<img src=x onerror=alert(1)>", "<!-- \"x\" & 'y'", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                                 "\xf0\x9f\x98\x80", "\xff\xfe", "a\tb\nc"}) {
    const std::string path = folder.written(name, folder.bytes);
    CHECK(complaint(microgpt(folder.inspect(path))).starts_with("0: wrote "));
    const std::string page = contents(folder.page);
    const std::size_t data = page.find("id=\"data\">");
    CHECK(page.find('<', data) == page.find("</script>", data));
  }
}

}  // namespace
}  // namespace microgpt
