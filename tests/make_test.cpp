// What make does before anything is compiled: how it passes on a path, and what it says where it may not install.
#include <filesystem>

#include "program.h"

namespace microgpt {
namespace {

TEST_CASE("a file of names may have a space in its name") {
  for (const char* target : {"lesson-01", "train", "ladder", "forms", "study", "check-study", "mine-run"}) {
    const Run r = run({"/bin/sh", "-c", "env -u MAKEFLAGS -u MAKELEVEL make -n \"$0\" NAMES='my names.txt'", target});
    REQUIRE(r.exit_code == 0);
    CHECK_MESSAGE(r.out.find(" 'my names.txt'") != std::string::npos, target);
  }
}

TEST_CASE("a break is shown in colours, but not where NO_COLOR is set or the terminal is dumb") {
  const TemporaryDirectory right, broken;
  for (const auto& [folder, word] : {std::pair{&right, "yes\n"}, {&broken, "no\n"}}) {
    write_contents(*folder / "printed.txt", word);
    write_contents(*folder / "errors.txt", "");
    write_contents(*folder / "code.txt", "0");
  }
  auto shown = [&](const std::string& setting, const std::string& term) {
    const std::string script = setting + " KEPT=1 lessons/break.sh lessons/03_value/break/assign.patch \"$@\"";
    return run({"/bin/sh", "-c", script, "sh", right / "main", broken / "main"},
               {.out_on_terminal = true, .term = term})
        .out;
  };
  CHECK(shown("", "xterm").find("\x1b[31m-yes\x1b[0m\n\x1b[32m+no") != std::string::npos);
  for (const std::string& plain : {shown("NO_COLOR=1", "xterm"), shown("", "dumb")}) {
    CHECK(plain.find("\n-yes\n+no\n") != std::string::npos);
    CHECK(plain.find('\x1b') == std::string::npos);
  }
}

/// `make setup` where the compiler is missing, and so is every program but these scripts.
Run setup(const std::vector<std::pair<std::string, std::string>>& programs) {
  const TemporaryDirectory bin;
  for (const auto& [name, script] : programs) {
    write_contents(bin / name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
  }
  return run({"/bin/sh", "-c", "PATH=\"$0\" CXX=false . tests/setup.sh", bin.path.string()});
}

TEST_CASE("setup without sudo, or with one that refuses, says what an administrator must run") {
  const std::string ask =
      "sudo is not for you here; ask an administrator to run: apt-get install g++ libfmt-dev doctest-dev "
      "nlohmann-json3-dev\n";
  const std::pair<std::string, std::string> user{"id", "echo 1000"}, apt{"apt-get", "echo \"apt-get $*\""};
  const Run without = setup({user, apt});
  CHECK(without.exit_code == 1);
  CHECK(without.out == "");
  CHECK(without.err == ask);
  const Run refused = setup({user, apt, {"sudo", "echo you are not in the sudoers file >&2; exit 1"}});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.ends_with(ask));
  const Run root = setup({{"id", "echo 0"}, apt, {"env", "shift; \"$@\""}});
  CHECK(root.exit_code == 0);
  CHECK(root.out.starts_with("installing g++ libfmt-dev "));
  CHECK(setup({}).err == "please install: a C++20 compiler, fmt, doctest, nlohmann-json\n");
}

}  // namespace
}  // namespace microgpt
