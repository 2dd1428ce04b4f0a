// Reads and writes whole files. Errors name the file and the reason.
#pragma once

#include <fstream>
#include <string>

namespace microgpt {

/// Returns every byte of a file. Throws Error if it is missing, a directory, or cannot be read.
std::string read_file(const std::string& path);

/// Opens a file for reading. Throws Error if it is missing or not a regular file.
std::ifstream open_file(const std::string& path);

/// Writes a file that is easy to make again (a drawing, a log), and creates its folders. Throws Error if that fails.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace microgpt
