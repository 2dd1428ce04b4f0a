#include "program/output_path.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/replace_file.h"

namespace microgpt {

namespace fs = std::filesystem;

void require_own_place(const std::string& save, const std::string& data, const std::optional<std::string>& history) {
  auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--save '{}' {}; choose another path", save, why));
  };
  std::error_code ignored;
  if (fs::equivalent(save, data, ignored)) refuse("is the file of names");
  auto folder = [&](const fs::path& file) {
    return fs::weakly_canonical(fs::absolute(file, ignored), ignored).parent_path();
  };
  if (history && folder(save) == folder(fs::path(*history) / "file")) {
    refuse("is in the directory of --history, which must hold nothing else");
  }
}

void rehearse_output(const std::string& option, const std::string& path, const std::vector<std::string>& sources) {
  const fs::path directory = fs::absolute(path).parent_path();
  for (const std::string& source : sources) {
    std::error_code none;  // what does not exist is not the same
    if (!fs::equivalent(path, source, none) && !fs::equivalent(directory, source, none)) continue;
    throw UsageError(fmt::format("{} would write '{}', and reads '{}'; choose another path", option, path, source));
  }
  rehearse_replace_file(path);
}

}  // namespace microgpt
