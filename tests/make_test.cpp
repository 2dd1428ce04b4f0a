// What make does before anything is compiled: how it passes on a path, and what it says where it may not install.
#include <filesystem>

#include "program.h"

namespace microgpt {
namespace {

/// What make, begun by a reader, would run for a target.
Run make_plan(const std::string& target, const std::string& environment = "", const std::string& folder = ".") {
  const std::string script = "env -u MAKEFLAGS -u MAKELEVEL " + environment + R"( make -n -C "$0" )" + target;
  return run({"/bin/sh", "-c", script, folder});
}

TEST_CASE("a file of names may have a space, a quote or a dollar in its name") {
  for (const char* target : {"lesson-01", "train", "ladder", "forms", "mine-run"}) {
    const Run r = make_plan(target + std::string(R"( NAMES="my ann's \$b.txt")"));
    REQUIRE(r.exit_code == 0);
    CHECK_MESSAGE(r.out.find(R"( 'my ann'\''s $b.txt')") != std::string::npos, target);
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

TEST_CASE("what the environment calls MODE or STAGE is not meant for make") {
  const Run r = make_plan("mine-reset BACK=1", "MODE=production STAGE=dev");
  CHECK(r.exit_code == 0);
  CHECK(r.out.find("mine.sh back 1  || :\n") != std::string::npos);
}

TEST_CASE("a file called lesson-01 does not make the lesson done") {
  const TemporaryDirectory folder;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    std::filesystem::create_symlink(std::filesystem::absolute(entry), folder / entry.path().filename().string());
  }
  write_contents(folder / "lesson-01", "");
  const std::string program = "build/release/lessons/01_bigram/main";
  const std::string plan = make_plan("--assume-old=" + program + " lesson-01", "", folder.path.string()).out;
  CHECK(plan.find(program + " 'data/names.txt'\n") != std::string::npos);
}

TEST_CASE("what readers run needs no newer make and bash than macOS has, 3.81 and 3.2, and no GNU tools") {
  const std::string newer_make =
      R"(^[^#]*private|^(define .*=|undefine|load)|\.(ONESHELL|SHELLFLAGS|RECIPEPREFIX|SHELLSTATUS|EXTRA_PREREQS))"
      R"(|\.(NOTINTERMEDIATE|WAIT)|\$\((file|guile|let|intcmp) |^[A-Za-z$][^#]*(::=|!=|&:)|--output-sync)";
  CHECK(run({"/bin/sh", "-c", R"(grep -nE "$0" Makefile)", newer_make}).out == "");
  const std::string newer_bash_or_gnu =
      R"(\$\{[A-Za-z_]+(,|\^|@[A-Z])|(mapfile|readarray|coproc|globstar|EPOCHSECONDS)|&>>|\|&|wait -n)"
      R"(|(declare|local) -[Anx]|sed -[irz]|(date|stat) -[cd-]|readlink -f|xargs -[rd]|grep -[a-z]*P|sort -[VR])"
      R"(|echo -[en]|head -n -|-printf|(^|[ ($;|])(timeout|tac|shuf|realpath|setsid) )";
  CHECK(run({"/bin/sh", "-c",
             R"(find -L data lessons src tests -name '*.sh' ! -name builds.sh ! -name mpi.sh ! -path 'src/debug/*' \
               -exec grep -nE "$0" Makefile {} +)",
             newer_bash_or_gnu})
            .out == "");
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
      "sudo is not for you here; ask an administrator to run: apt-get install g++ patch libfmt-dev doctest-dev "
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
  CHECK(root.out.starts_with("installing g++ patch libfmt-dev "));
  CHECK(root.exit_code == 1);
  CHECK(root.err.starts_with("something is still missing: "));
  CHECK(setup({}).err == "please install: a C++20 compiler, patch, fmt, doctest, nlohmann-json\n");
}

}  // namespace
}  // namespace microgpt
