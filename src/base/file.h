// Whole files in and out, with errors that name the file and the reason.
#pragma once

#include <fstream>
#include <string>

namespace microgpt {

/// Every byte of a file. Throws Error if it is missing, a directory, or cannot be read.
std::string read_file(const std::string& path);

/// Opens a file to load something from. Throws Error if it is missing or not a regular file.
std::ifstream open_file(const std::string& path);

/// Writes a file that can be made again at any time (a drawing, a log), and the folders it lies in. Throws Error if
/// that fails.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace microgpt
