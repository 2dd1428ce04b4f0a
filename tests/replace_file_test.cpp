#include "base/replace_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/error.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

template <class Function>
std::string message_of(Function function) {
  try {
    function();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The message of the Error, which must be the same before anything is written.
std::string failure(const fs::path& path) {
  const std::string message = message_of([&] { replace_file(path, "new"); });
  CHECK(message_of([&] { require_writable(path); }) == message);
  return message;
}

unsigned permissions(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }
void set_permissions(const fs::path& path, unsigned mode) { fs::permissions(path, static_cast<fs::perms>(mode)); }

/// Undoes something at the end of its scope.
struct Undo {
  ~Undo() { undo(); }
  std::function<void()> undo;
};

/// Root may write anywhere; until the end of the scope, root is nobody.
Undo not_root() {
  if (::geteuid() != 0) return {[] {}};
  REQUIRE((::setreuid(65534, 0) == 0 && ::seteuid(65534) == 0));
  return {[] {
    if (::seteuid(0) != 0 || ::setreuid(0, 0) != 0) ::abort();
  }};
}

Undo with_umask(mode_t mask) {
  return {[before = ::umask(mask)] { ::umask(before); }};
}

/// A write that makes a file longer than this fails, and sends no signal.
Undo with_file_size_limit(rlim_t bytes) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{bytes, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  return {[before] {
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_DFL);
  }};
}

}  // namespace

TEST_CASE("a file is made, also over what a killed program left, and replaced whole") {
  const TemporaryDirectory directory;
  write_contents(directory / ("file." + std::to_string(::getpid()) + ".tmp"), "half of something long");
  replace_file(directory / "file", std::string("a\0b\n", 4));
  CHECK(contents(directory / "file") == std::string("a\0b\n", 4));
  replace_file(directory / "file", "c");
  CHECK(contents(directory / "file") == "c");
  replace_file(directory / "file", "");
  CHECK(contents(directory / "file").empty());
  CHECK(directory.count() == 1);
}

TEST_CASE("a new file gets the permissions that the umask allows, a replaced one keeps its own") {
  const TemporaryDirectory directory;
  {
    const Undo umask = with_umask(027);
    replace_file(directory / "file", "new");
  }
  CHECK(permissions(directory / "file") == 0640);
  const Undo umask = with_umask(022);
  for (const unsigned mode : {0600U, 0666U, 0755U}) {
    set_permissions(directory / "file", mode);
    replace_file(directory / "file", "newer");
    CHECK(permissions(directory / "file") == mode);
  }
}

TEST_CASE("a symbolic link stays, and the file it names is written") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "models");
  write_contents(directory / "models/file", "old");
  fs::create_symlink("models/file", directory / "link");
  fs::create_symlink(directory / "link", directory / "link to link");
  replace_file(directory / "link to link", "new");
  CHECK(fs::is_symlink(directory / "link to link"));
  CHECK(fs::is_symlink(directory / "link"));
  CHECK(contents(directory / "models/file") == "new");
  CHECK(directory.count() == 3);

  fs::create_symlink("models/not yet", directory / "to nothing");
  replace_file(directory / "to nothing", "made");
  CHECK(fs::is_symlink(directory / "to nothing"));
  CHECK(contents(directory / "models/not yet") == "made");
}

TEST_CASE("what is not a regular file is refused and stays") {
  const TemporaryDirectory directory;
  const std::string name = directory.path.string();
  ::mkfifo((directory / "pipe").c_str(), 0666);
  fs::create_symlink("pipe", directory / "link");
  const std::string a_directory = "it is a directory; give the name of a file";
  const std::string a_device = "it is a device or a pipe; give the name of a file";
  const std::vector<std::pair<std::string, std::string>> refused{
      {name, a_directory},           {name + "/", a_directory},
      {name + "/new/", a_directory}, {"", "the name is empty; give the name of a file"},
      {name + "/pipe", a_device},    {name + "/link", a_device}};
  for (const auto& [path, what] : refused) {
    CHECK(failure(path) == "cannot write '" + path + "': " + what);
  }
  CHECK(fs::is_fifo(directory / "pipe"));
  CHECK(directory.count() == 2);
  // Never try it on /dev/null: run by root, a broken replace_file would replace the machine's.
}

TEST_CASE("a path that leads nowhere is refused with what to do") {
  const TemporaryDirectory directory;
  const std::string name = directory.path.string();
  CHECK(failure(name + "/no/file") ==
        "cannot write '" + name + "/no/file': No such file or directory; make the directory '" + name + "/no' first");
  write_contents(directory / "file", "old");
  CHECK(failure(name + "/file/file") == "cannot write '" + name + "/file/file': Not a directory; choose another path");
  CHECK(failure(directory / std::string(256, 'n')).ends_with("; choose another path"));
  CHECK(failure(directory / std::string(255, 'n')).ends_with("; choose another path"));  // for what stands beside it
  fs::create_symlink("circle", directory / "circle");
  CHECK(failure(name + "/circle").ends_with("; choose another path"));
  CHECK(directory.count() == 2);
}

TEST_CASE("a directory or a file that is write-protected is refused") {
  const TemporaryDirectory directory;
  const std::string expected = "': Permission denied; choose a place you may write to";
  write_contents(directory / "file", "old");
  set_permissions(directory / "file", 0666);
  set_permissions(directory.path, 0555);
  {
    const Undo nobody = not_root();
    CHECK(failure(directory / "new").ends_with(expected));
    CHECK(failure(directory / "file").ends_with(expected));
  }
  set_permissions(directory / "file", 0444);
  set_permissions(directory.path, 0777);
  {
    const Undo nobody = not_root();
    CHECK(failure(directory / "file").ends_with(expected));
  }
  CHECK(contents(directory / "file") == "old");
  CHECK(directory.count() == 1);
}

TEST_CASE("a write that fails half-way leaves the old file and no temporary") {
  const TemporaryDirectory directory;
  write_contents(directory / "file", "old");
  std::string message;
  {
    const Undo limit = with_file_size_limit(1000);
    const std::string bytes(1001, 'x');
    message = message_of([&] { replace_file(directory / "file", bytes); });
  }
  CHECK(message == "cannot write '" + (directory / "file").string() + "': File too large; choose another path");
  CHECK(contents(directory / "file") == "old");
  CHECK(directory.count() == 1);
}

}  // namespace microgpt
