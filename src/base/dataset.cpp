#include "base/dataset.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/table.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

/// Removes the first line from the text and returns it without its line end.
template <class Text>
Text take_line(Text& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') end++;
  const Text line = text.substr(0, end);
  const bool is_pair = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
  text.remove_prefix(std::min(text.size(), end + (is_pair ? 2 : 1)));
  return line;
}

/// As UTF-8, and without a byte order mark, which is no letter. Standard input can be read only once.
std::string text_of(const std::string& path) {
  static std::string input;
  if (path == "-" && input.empty()) input = read_file("/dev/stdin");
  std::string text = path == "-" ? input : read_file(path);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return utf16_to_utf8(text);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

/// The file's column of a table, or a list that is none. Tells of what may be meant in another way.
std::string column_of(std::string text, const DataFile& file) {
  if (text.find('\0') != std::string::npos) return text;  // nor is it a list
  if (std::optional<std::string> fields = json_column(text, file.column)) return *std::move(fields);
  const bool is_list = file.column.empty() && !file.path.ends_with(".csv") && !file.path.ends_with(".tsv");
  std::optional<std::string> fields;
  if (!is_list) fields = csv_column(text, file.column);
  const std::string line = visible(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 60)));
  if (!fields && !is_list && file.column.empty()) {
    file.tell("note: '" + line + "' is read as a name; if that is a heading, name the column so");
  }
  if (!fields && file.column.empty()) return text;
  if (!fields && file.needs_column) {
    throw Error("it has no column '" + visible(file.column) + "': its first line is '" + line + "'");
  }
  if (!fields) {
    file.tell("note: '" + file.path + "' has no column '" + file.column + "', so each line is a name");
    return text;
  }
  const std::string first = fields->substr(0, fields->find('\n'));  // "" if the column was named: see csv_column()
  if (!first.empty()) {
    file.tell("note: the first row of column " + file.column + " is '" + first +
              "'; if that is a heading, name the column so");
  }
  return *std::move(fields);
}

}  // namespace

Document keep(std::u32string_view text) {
  const std::span<char32_t> characters = kept_text.allocate(text.size());
  std::copy(text.begin(), text.end(), characters.begin());
  return {characters.data(), characters.size()};
}

std::vector<Document> parse_documents(std::string_view text, const DataFile& file,
                                      const std::function<void(const Document&)>& check) {
  auto fail = [&](std::size_t number, const std::string& what) {
    return Error(file.path + ":" + std::to_string(number) + ": " + what);
  };
  char32_t* const first = kept_text.allocate(text.size()).data();
  const std::optional<std::size_t> size = decode_utf8(text, first);
  const bool is_text = size && text.find('\0') == text.npos;
  for (std::size_t number = 1; !is_text && !text.empty(); number++) {  // which line is it?
    const std::string_view line = take_line(text);
    const bool has_zero = line.find('\0') != line.npos;
    if (!has_zero && decode_utf8(line)) continue;
    throw fail(number, (has_zero ? "a zero byte; this is a binary file (of a spreadsheet, save CSV), or UTF-16 without "
                                   "its mark: iconv -f UTF-16LE"
                                 : "not valid UTF-8; if it comes from Windows: iconv -f WINDOWS-1252") +
                           (" -t UTF-8 " + shell_word(file.path) + " >names.txt"));
  }
  char32_t* last = first + *size;
  if (*size < text.size()) last = std::remove_if(first, last, is_invisible);  // none is ASCII
  const auto invisible = first + *size - last;
  if (invisible > 0) file.tell("note: " + std::to_string(invisible) + " invisible characters are left out");
  if (file.lower) std::transform(first, last, first, lower);
  std::u32string_view rest(first, static_cast<std::size_t>(last - first));
  std::vector<Document> documents;
  documents.reserve(std::min(max_documents, rest.size() / 2 + 1));  // of a letter and the end of its line
  for (std::size_t number = 1; !rest.empty(); number++) {
    const Document document = strip(take_line(rest));
    if (document.empty()) continue;
    if (documents.size() == max_documents) {
      throw fail(number, "more than " + std::to_string(max_documents) + " documents; give a smaller file");
    }
    documents.push_back(document);
    try {
      if (check) check(document);
    } catch (const Error& error) {
      throw fail(number, error.what());
    }
  }
  if (documents.empty()) throw Error(file.path + ": no documents in it; put one name on each line");
  return documents;
}

std::size_t longest(std::span<const Document> documents) {
  std::size_t length = 0;
  for (const Document& document : documents) length = std::max(length, document.size());
  return length;
}

std::uint64_t fingerprint(std::span<const Document> documents, std::uint64_t before) {
  std::uint64_t hash = before;
  auto add = [&](std::uint64_t number) { hash = (hash ^ number) * 1099511628211U; };
  for (const Document& document : documents) {
    for (const char32_t character : document) add(character);
    add('\n');  // stands in no document
  }
  return hash;
}

std::vector<Document> read_documents(const DataFile& file, const std::function<void(const Document&)>& check) {
  std::string text = text_of(file.path);
  try {
    text = column_of(std::move(text), file);
  } catch (const Error& error) {
    throw Error(file.path + ": " + error.what());
  }
  return parse_documents(text, file, check);
}

}  // namespace microgpt
