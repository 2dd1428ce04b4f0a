// Files that a command is told to write must not be those that it reads.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/replace_file.h"
#include "program/print.h"
#include "train/checkpoint.h"

namespace microgpt {

/// Throws the Error of require_writable(), and UsageError if saving there would destroy the data, or, without `force`,
/// replace anything but a model or an empty file.
inline void require_own_place(const std::string& save, bool force, const std::vector<std::string>& data) {
  auto refuse = [&](const std::string& why, const std::string& remedy = "") {
    throw UsageError(fmt::format("--save '{}' {}; choose another path{}", save, why, remedy));
  };
  std::error_code ignored;
  for (const std::string& file : data) {
    if (std::filesystem::equivalent(save, file, ignored)) refuse("is the file of names");
  }
  require_writable(save);
  const bool is_file = std::filesystem::is_regular_file(save, ignored);
  if (force || !is_file || std::filesystem::file_size(save, ignored) == 0) return;
  try {
    load_checkpoint(save);
  } catch (const ModelFileError&) {
    refuse("would replace a file that is no model of microgpt", ", or add --force");
  }
}

/// Where a training saves its model, and only that training. If another program has written the file since, the
/// training takes a new name, so that neither model is lost.
class OwnFile {
 public:
  explicit OwnFile(std::string& path) : path_(path), number_(number()) {}

  /// Calls save(), which writes the file of that path.
  void save(const std::function<void()>& save) {
    if (number_ && number() != 0 && number() != *number_) {
      const std::filesystem::path taken = path_;
      for (int n = 2; number() != 0; n++) {
        path_ = taken.parent_path() / fmt::format("{}-{}{}", taken.stem().string(), n, taken.extension().string());
      }
      tell(fmt::format("another program has saved to '{}' since; this training saves to '{}'", taken.string(), path_));
    }
    save();
    const std::uintmax_t now = number();
    number_ = now != 0 ? std::optional(now) : std::nullopt;
  }

 private:
  /// Of the file that has this name; 0: none has.
  std::uintmax_t number() const {
    struct stat file {};
    return ::stat(path_.c_str(), &file) == 0 ? file.st_ino : 0;
  }

  std::string& path_;
  std::optional<std::uintmax_t> number_;  // none: it went with its folder, and may come back
};

/// Throws the Error of require_writable(), and UsageError if `path` is one of the files that the output
/// is made from, or lies in a directory of those.
inline void require_output(const std::string& option, const std::string& path,
                           const std::vector<std::string>& sources) {
  const std::filesystem::path directory = std::filesystem::absolute(path).parent_path();
  for (const std::string& source : sources) {
    std::error_code none;  // what does not exist is not the same
    if (std::filesystem::equivalent(path, source, none) || std::filesystem::equivalent(directory, source, none)) {
      throw UsageError(fmt::format("{} would write '{}', and reads '{}'; choose another path", option, path, source));
    }
  }
  require_writable(path);
}

}  // namespace microgpt
