#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

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
    case EFBIG: return "raise the limit on the size of files (ulimit -f)";
    default: return "choose another path";
  }
}

/// Writes all bytes to the disk. Returns 0, or the errno of what failed.
int write_through(int fd, std::string_view bytes) {
  // Beyond the limit on the size of files a write also sends SIGXFSZ, which would end the program.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignore, &before);
  int error = 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  ::sigaction(SIGXFSZ, &before, nullptr);
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  return error;
}

/// Whether something is mounted on this very file, as containers do: then no other file can be renamed to it.
bool is_mount_point([[maybe_unused]] const fs::path& path) {
#ifdef STATX_ATTR_MOUNT_ROOT  // Linux
  struct statx status {};
  return ::statx(AT_FDCWD, path.c_str(), 0, 0, &status) == 0 && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

/// A file beside the target that takes its place, or disappears.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path) : path_(path), target_(path) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (!path.has_filename() || (exists && S_ISDIR(old.st_mode))) fail("it is a directory; give the name of a file");
    if (exists && !S_ISREG(old.st_mode)) fail("it is a device or a pipe; give the name of a file");
    if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
    if (exists && is_mount_point(path)) fail(EBUSY);
    follow_links();
    create();
    if (exists) ::fchmod(fd_, old.st_mode & 0777U);  // a file system without permissions may refuse, and need not care
  }

  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) {
    if (const int error = write_through(fd_, bytes)) fail(error);
    if (::close(std::exchange(fd_, -1)) != 0) fail(errno);
  }

  void take_place() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    // The new file is in place. If this fails, the old one might come back after a power cut, whole too.
    const int directory = ::open((target_.parent_path() / ".").c_str(), O_RDONLY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);
    ::close(directory);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error("cannot write '" + path_.string() + "': " + reason);
  }
  [[noreturn]] void fail(int error) const {
    fail(std::generic_category().message(error) + "; " + advice(error, target_.parent_path()));
  }

  void follow_links() {
    std::error_code error;
    while (fs::is_symlink(target_, error)) {
      const fs::path next = fs::read_symlink(target_, error);
      if (error) fail(error.value());
      target_ = target_.parent_path() / next;
    }
  }

  // mkstemp would make a file that only its owner may read; 0666 lets the umask decide, as for any new file.
  void create() {
    for (int number = 0; fd_ < 0; number++) {
      const std::string name = "microgpt-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp";
      const fs::path candidate = target_.parent_path() / name;
      fd_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd_ >= 0) {
        temporary_ = candidate;
      } else if (errno != EEXIST) {
        fail(errno);
      }
    }
  }

  fs::path path_;       // as it was given
  fs::path target_;     // at the end of the symbolic links
  fs::path temporary_;  // empty when there is nothing to remove
  int fd_ = -1;
};

}  // namespace

void replace_file(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  file.write(bytes);
  file.take_place();
}

void rehearse_replace_file(const std::string& path, std::string_view bytes) { TemporaryFile(path).write(bytes); }

}  // namespace microgpt
