// microgpt inspect --html as a user meets it: one page, replaced whole or not at all, in which text stays text.
#include <filesystem>

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

TEST_CASE("a page calls names held out only if the model has not seen them") {
  const PageFolder folder;
  const std::string seen = folder.model, unseen = folder.file("unseen");
  const Run trained = microgpt(folder.train({"--steps", "20", "--block-size", "8", "--hold-out", "--save", unseen}));
  REQUIRE(trained.exit_code == 0);
  // The page's words for each kind stand in view_gallery.js, and tests/inspector looks at what it shows.
  auto kind = [&](const Words& more) {
    REQUIRE(microgpt(Words{"inspect", "--html", folder.page} + more).exit_code == 0);
    const std::string page = contents(folder.page), before = "\"kind\":\"";
    const std::size_t begin = page.find(before) + before.size();
    return page.substr(begin, page.find('"', begin) - begin);
  };
  CHECK(kind({seen}) == "seen");
  CHECK(kind({unseen}) == "held-out");
  CHECK(kind({unseen, "--data", folder.names}) == "given");
}

TEST_CASE("a model too large for a page is refused with its size and with what would fit") {
  const PageFolder folder;
  const std::string large = folder.trained({"--engine", "tensor", "--n-embd", "512", "--steps", "1", "--samples", "1"});
  CHECK(refusal(folder.inspect(large))
            .ends_with(
                " has 3175424 parameters; a page holds models of at most 2000000, such as n_layer 4 with n_embd 192"));
  CHECK(folder.is_old());
}

TEST_CASE("a page that cannot be made leaves the old one as it is, and every other file") {
  const PageFolder folder;
  const std::string inspect = "inspect " + folder.model + " --data " + folder.names + " --html ",
                    would = "2: --html would write '";
  check_refused({{"inspect " + folder.names + " --html " + folder.page, "1: cannot load '" + folder.names + "': "},
                 {inspect + folder.page + " --text Z", "2: the character 'Z' is unknown; the alphabet is 'abc"},
                 {inspect + folder.page + " --text \xff", "2: --text is not valid UTF-8"},
                 {inspect + folder.model, would + folder.model},
                 {inspect + folder.names, would + folder.names}});
  // KiB; the page has more
  CHECK(complaint(in_shell("ulimit -f 64; exec \"$0\" \"$@\"", folder.inspect(folder.model))) ==
        "1: cannot write '" + folder.page + "': File too large; choose another path");
  CHECK(folder.is_old());
  CHECK(contents(folder.model) == folder.bytes);
}

TEST_CASE("a page grows with the positions that it shows, not with the square of the block") {
  const PageFolder folder;
  for (const char* mask : {"local:4", "random:900000000"}) {
    const std::string model = folder.trained(
        {"--engine", "tensor", "--pos", "rope", "--mask", mask, "--block-size", "20000", "--steps", "1"});
    const std::string limit = sanitized ? "" : "ulimit -v 400000; ";  // KiB
    CHECK(complaint(in_shell(limit + "\"$0\" \"$@\" 2>&1 | grep wrote >&2", folder.inspect(model)))
              .starts_with("0: wrote "));
    CHECK(contents(folder.page).size() < 500'000);
    const bool is_told = contents(folder.page).find("\"00001111\"") != std::string::npos;  // what position 7 sees
    CHECK(is_told == (mask == std::string("local:4")));
  }
}

}  // namespace
}  // namespace microgpt
