#include "base/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
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

/// A file in the target's directory that either replaces the target or is removed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path) : path_(path), target_(path) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (!path.has_filename() || (exists && S_ISDIR(old.st_mode))) fail("it is a directory; give the name of a file");
    if (exists && !S_ISREG(old.st_mode)) fail("it is a device or a pipe; give the name of a file");
    if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
    while (fs::is_symlink(target_)) target_ = target_.parent_path() / fs::read_symlink(target_);

    temporary_ = target_.parent_path() / ("microgpt-" + std::to_string(::getpid()) + ".tmp");
    ::unlink(temporary_.c_str());  // a killed program with the same process id may have left it
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // less the bits of the umask
    if (fd_ < 0) fail(errno);
    if (exists) ::fchmod(fd_, old.st_mode & 0777U);  // may fail on a file system without permissions: no harm
  }

  ~TemporaryFile() {
    ::close(fd_);
    ::unlink(temporary_.c_str());  // fails, harmlessly, if it was renamed to the target
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void take_place(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail(errno);
      }
    }
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

void replace_file(const std::string& path, std::string_view bytes) { TemporaryFile(path).take_place(bytes); }

void rehearse_replace_file(const std::string& path) { const TemporaryFile removed_at_once(path); }

}  // namespace microgpt
