// Files that a command is told to write must not be those that it reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

/// Throws the Error of require_writable(), and UsageError if saving there would destroy the data, or, without `force`,
/// replace anything but a model or an empty file.
void require_own_place(const std::string& save, bool force, const std::vector<std::string>& data);

/// Where a training saves its model, and only that training. If another program has written the file since, the
/// training takes a new name, so that neither model is lost.
class OwnFile {
 public:
  explicit OwnFile(std::string& path) : path_(path), number_(number()) {}

  /// Calls save(), which writes the file of that path.
  void save(const std::function<void()>& save);

 private:
  std::uintmax_t number() const;  // of the file that has this name; 0: none has

  std::string& path_;
  std::optional<std::uintmax_t> number_;  // none: it went with its folder, and may come back
};

/// Throws the Error of require_writable(), and UsageError if `path` is one of the files that the output
/// is made from, or lies in a directory of those.
void require_output(const std::string& option, const std::string& path, const std::vector<std::string>& sources);

}  // namespace microgpt
