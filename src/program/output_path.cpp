#include "program/output_path.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/replace_file.h"
#include "program/print.h"
#include "train/checkpoint.h"

namespace microgpt {

namespace fs = std::filesystem;

void require_own_place(const std::string& save, bool force, const std::vector<std::string>& data) {
  auto refuse = [&](const std::string& why, const std::string& remedy = "") {
    throw UsageError(fmt::format("--save '{}' {}; choose another path{}", save, why, remedy));
  };
  std::error_code ignored;
  for (const std::string& file : data) {
    if (fs::equivalent(save, file, ignored)) refuse("is the file of names");
  }
  require_writable(save);
  if (force || !fs::is_regular_file(save, ignored) || fs::file_size(save, ignored) == 0) return;
  try {
    load_checkpoint(save);
  } catch (const ModelFileError&) {
    refuse("would replace a file that is no model of microgpt", ", or add --force");
  }
}

void OwnFile::save(const std::function<void()>& save) {
  if (number_ && number() != 0 && number() != *number_) {
    const fs::path taken = path_;
    for (int n = 2; number() != 0; n++) {
      path_ = taken.parent_path() / fmt::format("{}-{}{}", taken.stem().string(), n, taken.extension().string());
    }
    tell(fmt::format("another program has saved to '{}' since; this training saves to '{}'", taken.string(), path_));
  }
  save();
  const std::uintmax_t now = number();
  number_ = now != 0 ? std::optional(now) : std::nullopt;
}

std::uintmax_t OwnFile::number() const {
  struct stat file {};
  return ::stat(path_.c_str(), &file) == 0 ? file.st_ino : 0;
}

void require_output(const std::string& option, const std::string& path, const std::vector<std::string>& sources) {
  const fs::path directory = fs::absolute(path).parent_path();
  for (const std::string& source : sources) {
    std::error_code none;  // what does not exist is not the same
    if (!fs::equivalent(path, source, none) && !fs::equivalent(directory, source, none)) continue;
    throw UsageError(fmt::format("{} would write '{}', and reads '{}'; choose another path", option, path, source));
  }
  require_writable(path);
}

}  // namespace microgpt
