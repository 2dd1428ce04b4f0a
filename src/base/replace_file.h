// Replacing a file whole or not at all: whatever fails, and whenever the machine stops, the path names either the old
// bytes or the new ones, never a part.
#pragma once

#include <string>
#include <string_view>

namespace microgpt {

/// Writes the bytes to a temporary file in the same directory, sees it safely on the disk and renames it to `path`.
/// Follows a symbolic link to the file it names; keeps the permissions of a file that was there.
/// Throws Error naming the path, the system's reason and what to do; then the old file is as it was and the temporary
/// is gone. Refuses what is not a regular file (a directory, a device, a pipe) and a file that is write-protected.
void replace_file(const std::string& path, std::string_view bytes);

/// Makes the temporary file and removes it: throws the Error now that replace_file would throw later, unless it is the
/// disk that is full by then.
void rehearse_replace_file(const std::string& path);

}  // namespace microgpt
