// Replaces a file completely or not at all. Even if a write fails or the machine stops, the path names either the old
// contents or the new ones, never a mixture.
#pragma once

#include <string>
#include <string_view>

namespace microgpt {

/// Writes the bytes to a file beside it, NAME.PID.tmp, flushes them to the disk and renames it to `path`. Follows a
/// symbolic link; keeps the permissions of an existing file. Throws Error naming the path, the system's reason and what
/// to do; then the old file is unchanged. Refuses anything but a regular file (a directory, a device, a pipe), and a
/// file that is write-protected.
void replace_file(const std::string& path, std::string_view bytes);

/// Throws the Error that replace_file() would throw, as far as that can be told without writing. Call it before what
/// takes long.
void require_writable(const std::string& path);

}  // namespace microgpt
