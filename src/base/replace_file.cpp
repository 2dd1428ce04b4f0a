#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

std::string advice(int error, const fs::path& directory) {
  switch (error) {
    case ENOENT: return "make the directory '" + directory.string() + "' first";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a place you may write to";
    case ENOSPC:
    case EDQUOT: return "make room on the disk, or choose another";
    default: return "choose another path";
  }
}

struct Place {
  std::string path;     // as given
  fs::path target;      // after following symbolic links
  fs::path temporary;   // beside it
  mode_t mode = 0;      // the permissions of an old file
  bool is_old = false;  // whether there is one

  [[noreturn]] void fail(const std::string& reason) const { throw Error("cannot write '" + path + "': " + reason); }
  [[noreturn]] void fail(int error) const {
    fail(std::generic_category().message(error) + "; " + advice(error, target.parent_path()));
  }
};

Place writable_place(const std::string& path) {
  Place place{.path = path, .target = path, .temporary = {}};
  struct stat old {};
  place.is_old = ::stat(path.c_str(), &old) == 0;
  if (!place.is_old && errno != ENOENT) place.fail(errno);
  place.mode = old.st_mode & 0777U;
  if (path.empty()) place.fail("the name is empty; give the name of a file");
  if (!place.target.has_filename() || S_ISDIR(old.st_mode)) place.fail("it is a directory; give the name of a file");
  if (place.is_old && !S_ISREG(old.st_mode)) place.fail("it is a device or a pipe; give the name of a file");
  while (fs::is_symlink(place.target)) place.target = place.target.parent_path() / fs::read_symlink(place.target);
  place.temporary = place.target;
  place.temporary += "." + std::to_string(::getpid()) + ".tmp";

  auto may_write = [](const fs::path& to) { return ::access(to.c_str(), W_OK) == 0; };  // older containers know no more
  if (place.is_old && !may_write(path)) place.fail(errno);
  if (!may_write(place.target.has_parent_path() ? place.target.parent_path() : ".")) place.fail(errno);
  if (!may_write(place.temporary) && errno != ENOENT) place.fail(errno);  // its name is too long, for instance
  return place;
}

}  // namespace

void replace_file(const std::string& path, std::string_view bytes) {
  const Place place = writable_place(path);
  const int fd = ::open(place.temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) place.fail(errno);
  auto fail = [&] {
    const int error = errno;
    ::close(fd);
    ::unlink(place.temporary.c_str());
    place.fail(error);
  };
  if (place.is_old) ::fchmod(fd, place.mode);  // may fail on a file system without permissions: no harm
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool is_flushed =
      ::fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;  // not all disks can
  if (!is_flushed || ::rename(place.temporary.c_str(), place.target.c_str()) != 0) fail();
  ::close(fd);
}

void require_writable(const std::string& path) { writable_place(path); }

}  // namespace microgpt
