#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"

namespace microgpt {

bool is_temporary_file(const std::string& name) {
  int end = 0;
  std::sscanf(name.c_str(), "microgpt-%*[0-9]-%*[0-9].tmp%n", &end);
  return static_cast<std::size_t>(end) == name.size();
}

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

/// Whether the path still names the file that was opened there. A living program renames its file, and unlocks it then.
bool is_named(const fs::path& path, int fd) {
  struct stat named {
  }, opened{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

/// Removes the temporary files of programs that were killed. A living program keeps its own locked.
void remove_abandoned(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    const fs::path& path = file->path();
    if (!is_temporary_file(path.filename().string())) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(path, fd)) ::unlink(path.c_str());
    ::close(fd);
  }
}

/// Creates and locks a new file, and says its path. Returns its descriptor; -1, with errno, if there is none.
int create_locked(const fs::path& directory, fs::path& path) {
  static std::atomic<std::size_t> created_so_far = 0;  // no name comes twice in a process
  while (true) {
    path = directory / ("microgpt-" + std::to_string(::getpid()) + "-" + std::to_string(created_so_far++) + ".tmp");
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // less the bits of the umask
    if (fd < 0 && errno == EEXIST) continue;  // a program on another machine, or in another container
    if (fd >= 0) ::flock(fd, LOCK_EX);
    if (fd < 0 || is_named(path, fd)) return fd;
    ::close(fd);  // before it was locked, another program removed it as abandoned
  }
}

/// A file in the target's directory that either replaces the target or is removed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path) : path_(path), target_(path) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (path.empty()) fail("the name is empty; give the name of a file");
    if (!path.has_filename() || (exists && S_ISDIR(old.st_mode))) fail("it is a directory; give the name of a file");
    if (exists && !S_ISREG(old.st_mode)) fail("it is a device or a pipe; give the name of a file");
    if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
    while (fs::is_symlink(target_)) target_ = target_.parent_path() / fs::read_symlink(target_);

    const fs::path directory = target_.has_parent_path() ? target_.parent_path() : ".";
    remove_abandoned(directory);
    fd_ = create_locked(directory, temporary_);
    if (fd_ < 0) fail(errno);
    if (exists) ::fchmod(fd_, old.st_mode & 0777U);  // may fail on a file system without permissions: no harm
  }

  ~TemporaryFile() {
    // After it was renamed to the target, its name may be that of another program, in a container with the same id.
    if (is_named(temporary_, fd_)) ::unlink(temporary_.c_str());
    ::close(fd_);
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail(errno);
      }
    }
  }

  void take_place() const {
    if (::fsync(fd_) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error("cannot write '" + path_.string() + "': " + reason);
  }
  [[noreturn]] void fail(int error) const {
    fail(std::generic_category().message(error) + "; " + advice(error, target_.parent_path()));
  }

  fs::path path_;    // as given
  fs::path target_;  // after following symbolic links
  fs::path temporary_;
  int fd_ = -1;
};

}  // namespace

void replace_file(const std::string& path, std::string_view bytes) {
  const TemporaryFile file(path);
  file.write(bytes);
  file.take_place();
}

void rehearse_replace_file(const std::string& path, std::string_view bytes) { TemporaryFile(path).write(bytes); }

}  // namespace microgpt
