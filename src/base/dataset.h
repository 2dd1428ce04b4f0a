// A dataset is a list of documents, one a line, read as microgpt.py reads its input.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace microgpt {

using Document = std::u32string;

/// The documents of a UTF-8 text: a line each (ended by \n, \r\n or \r), stripped of white space; blank lines do not
/// count. Throws Error with `name` and the line number for text that is not UTF-8 or holds a zero byte, or has no
/// documents.
std::vector<Document> parse_documents(std::string_view text, const std::string& name);

/// The documents of a file. Throws Error also if it is missing, a directory, or cannot be read.
std::vector<Document> read_documents(const std::string& path);

}  // namespace microgpt
