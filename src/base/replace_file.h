// Replaces a file completely or not at all. Even if a write fails or the machine stops, the path names either the old
// contents or the new ones, never a mixture.
#pragma once

#include <string>
#include <string_view>

namespace microgpt {

/// Writes the bytes to a temporary file in the same directory, flushes it to the disk and renames it to `path`.
/// Follows a symbolic link; keeps the permissions of an existing file.
/// Throws Error naming the path, the system's reason and what to do. Then the old file is unchanged and the temporary
/// file is gone. Refuses anything but a regular file (a directory, a device, a pipe), and a file that is
/// write-protected.
void replace_file(const std::string& path, std::string_view bytes);

/// Whether a file of this name may be such a temporary file, left behind by a program that was killed.
bool is_temporary_file(const std::string& name);

/// Writes the temporary file and removes it. Throws the Error that replace_file would throw later, unless the disk has
/// less room by then.
void rehearse_replace_file(const std::string& path, std::string_view bytes = {});

}  // namespace microgpt
