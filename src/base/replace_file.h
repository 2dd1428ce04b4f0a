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

/// All of replace_file except the renaming: throws the same Error now that it would throw later, and changes nothing.
void rehearse_replace_file(const std::string& path, std::string_view bytes);

}  // namespace microgpt
