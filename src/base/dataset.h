// A dataset is a list of documents, one per line, read as microgpt.py reads its input.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"

namespace microgpt {

/// The characters of all documents. They stay until the program ends.
inline Arena<char32_t> kept_text;

/// A view of kept text, so that no document has memory of its own. A string that ends with its line is refused.
struct Document : std::u32string_view {
  using std::u32string_view::u32string_view;
  Document(std::u32string_view text) : std::u32string_view(text) {}
  Document(const std::u32string& text) : std::u32string_view(text) {}
  Document(std::u32string&&) = delete;
};

/// Makes a document of a text.
Document keep(std::u32string_view text);

/// What is read if nobody names a file.
inline constexpr const char* usual_names = "data/names.txt";

/// A document takes some 100 bytes, however short it is.
inline constexpr std::size_t max_documents = 2'000'000;

/// Where documents stand, and how to read them.
struct DataFile {
  DataFile(std::string path_ = usual_names) : path(std::move(path_)) {}
  DataFile(const char* path_) : path(path_) {}

  std::string path;          // "-": standard input
  std::string column;        // of a table: see table.h; empty: the file is a list
  bool needs_column = true;  // false: a file that is no table is a list
  bool lower = false;        // capitals become small letters

  /// Is told of what is read in another way than it stands there.
  std::function<void(const std::string& note)> tell = [](const std::string&) {};
};

/// Splits UTF-8 text into documents: one per line (ended by \n, \r\n or \r), without white space at its ends and
/// without invisible characters; blank lines are skipped. Throws Error with the file's name and the line number if the
/// text is not UTF-8, contains a zero byte, or has no documents or more than max_documents. Calls `check` for every
/// document; the Error that it throws gets name and line number in front.
std::vector<Document> parse_documents(std::string_view text, const DataFile& file,
                                      const std::function<void(const Document&)>& check = {});

/// How many characters the longest document has.
std::size_t longest(std::span<const Document> documents);

/// A number that is practically never the same for other documents, or for another order of them (64-bit FNV-1a).
/// `before` is the fingerprint of documents that come before these.
std::uint64_t fingerprint(std::span<const Document> documents, std::uint64_t before = 14695981039346656037U);

/// Reads the documents of a file, standard input only once: UTF-8, or UTF-16 behind its mark; a list, or a table (CSV
/// or JSON). Also throws Error if the file is missing, is a directory, or cannot be read, or if it has no such column.
std::vector<Document> read_documents(const DataFile& file, const std::function<void(const Document&)>& check = {});

}  // namespace microgpt
