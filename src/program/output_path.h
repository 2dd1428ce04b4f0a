// Files that a command is told to write must not be those that it reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace microgpt {

/// Throws UsageError if saving there would destroy the data, make the directory of a history unreadable, or, without
/// `force`, replace anything but a model or an empty file.
void require_own_place(const std::string& save, bool force, const std::vector<std::string>& data,
                       const std::optional<std::string>& history = {});

/// Throws the Error that replace_file would throw later, and UsageError if `path` is one of the files that the output
/// is made from, or lies in a directory of those.
void rehearse_output(const std::string& option, const std::string& path, const std::vector<std::string>& sources);

}  // namespace microgpt
