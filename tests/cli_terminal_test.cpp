// What a person sees who runs the program in a terminal.
#include "base/utf8.h"
#include "program.h"

namespace microgpt {
namespace {

/// The lines that stand on the screen after all these bytes: \r goes back to the first column, \n to the next line,
/// ESC [ K clears the rest of the line, and what is too long for a line goes on in the next.
Words screen(const std::string& bytes, std::size_t columns) {
  const std::u32string text = decode_utf8(bytes).value();
  std::vector<std::u32string> rows{U""};
  std::size_t column = 0;
  auto new_row = [&] {
    rows.emplace_back();
    column = 0;
  };
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '\r') {
      column = 0;
    } else if (text[i] == '\n') {
      new_row();
    } else if (text.substr(i, 3) == U"\x1b[K") {
      rows.back().resize(std::min(column, rows.back().size()));
      i += 2;
    } else {
      REQUIRE(text[i] >= ' ');
      if (column == columns) new_row();
      rows.back().resize(std::max(column + 1, rows.back().size()), U' ');
      rows.back()[column++] = text[i];
    }
  }
  Words result;
  for (const std::u32string& row : rows) {
    std::string line = encode_utf8(row);
    line.erase(line.find_last_not_of(' ') + 1);
    result.push_back(line);
  }
  REQUIRE(result.back().empty());  // after the last \n
  result.pop_back();
  return result;
}

/// Runs of 300 steps.
struct Training : NamesFolder {
  Run operator()(const Streams& streams, const Words& more = {}) const {
    return microgpt(train(Words{"--steps", "300"} + more), streams);
  }
};

/// What is left on the screen: of the step lines only the last.
Words seen(const std::string& piped) {
  Words expected = lines(piped);
  std::erase_if(expected,
                [](const std::string& line) { return line.starts_with("step") && !line.starts_with("step  300"); });
  return expected;
}

bool has_time(const std::string& text) { return text.find("steps/s, ") != std::string::npos; }

TEST_CASE("on a terminal one step line rewrites itself with the time left behind it, which goes in the end") {
  const Training training;
  for (const std::string digits : {"4", "17"}) {
    const std::string expected = training({}, {"--digits", digits}).out;
    for (const unsigned short columns : {80, 46, 200}) {
      const Run r =
          training({.out_on_terminal = true, .err_on_terminal = true, .columns = columns}, {"--digits", digits});
      CHECK(r.exit_code == 0);
      CHECK(r.out.find("\rstep    1 /  300 | loss ") != std::string::npos);
      CHECK(has_time(r.out) == (columns >= 80));  // in 46 there is no room for it, however slow it is
      CHECK(screen(r.out, columns) == seen(expected));
    }
  }
}

TEST_CASE("on a narrow terminal the step line stays in its line until the last, which may take several") {
  const Training training;
  for (const unsigned short columns : {30, 29, 12}) {
    std::size_t rows = 0;
    for (const std::string& line : seen(training({}).out)) {
      rows += std::max<std::size_t>(1, (line.size() + columns - 1) / columns);
    }
    const Run r = training({.out_on_terminal = true, .err_on_terminal = true, .columns = columns});
    CHECK(screen(r.out, columns).size() == rows);
    CHECK(screen(training({.out_on_terminal = true, .columns = columns}).out, columns).size() == rows);
  }
}

TEST_CASE(
    "with standard output elsewhere it gets plain lines, and the terminal only the time left, which goes in the end") {
  const Training training;
  const Run r = training({.err_on_terminal = true});
  CHECK(r.out == training({}).out);
  CHECK(has_time(r.err));
  CHECK(r.err.find("step ") == std::string::npos);
  CHECK(screen(r.err + "\n", 80) == Words{""});
}

TEST_CASE("a terminal that cannot go back gets plain lines, and with --quiet none") {
  const Training training;
  CHECK(training({.out_on_terminal = true, .err_on_terminal = true, .term = "dumb"}).out == training({}).out);
  const Run r = training({.out_on_terminal = true, .err_on_terminal = true}, {"--quiet"});
  CHECK(r.out == training({}, {"--quiet"}).out);
}

TEST_CASE("on a terminal an error begins a line of its own") {
  const Training training;
  const Words diverging{"--lr", "1e6"};
  const std::string complaint = "microgpt: step 2: the loss is inf; training diverged, try a smaller --lr";
  const Run both = training({.out_on_terminal = true, .err_on_terminal = true}, diverging);
  CHECK(both.exit_code == 1);
  CHECK(screen(both.out, 80).back() == complaint);
  const Run error_only = training({.err_on_terminal = true}, diverging);
  CHECK(screen(error_only.err, 80) == Words{complaint});
}

TEST_CASE("what takes long says how far it is, and leaves nothing of that on the terminal") {
  const NamesFolder folder;
  REQUIRE(microgpt(folder.train({"--steps", "4", "--hold-out", "--save", folder.file("model")})).exit_code == 0);
  const Words bench{"bench",    "--data", folder.names, "--what", "train",     "--quick",
                    "--n-embd", "4",      "--batch",    "1",      "--threads", "1"};
  const Words html{"inspect", folder.file("model"), "--html", folder.file("page.html")};
  for (const auto& [command, part] :
       {std::pair{bench, "measuring train: fast, n_embd 4"},
        std::pair{Words{"heads", folder.file("model")}, "heads: 1 of "}, std::pair{html, "heads: 1 of "}}) {
    const std::string waited_for = part;  // clang 14: a binding cannot be captured
    INFO(waited_for);
    const Run r = microgpt(command, {.out_on_terminal = true, .err_on_terminal = true, .columns = 160});
    CHECK(r.exit_code == 0);
    CHECK(r.out.find("\r" + std::string(part)) != std::string::npos);
    for (const std::string& line : screen(r.out, 160)) CHECK_MESSAGE(line.find(part) == std::string::npos, line);
    CHECK(microgpt(command).err.find(part) == std::string::npos);
    const Run dumb = microgpt(command, {.out_on_terminal = true, .err_on_terminal = true, .term = "dumb"});
    CHECK(dumb.out.find_first_of("\r\x1b") == std::string::npos);
  }
}

}  // namespace
}  // namespace microgpt
