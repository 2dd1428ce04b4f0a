#include "base/dataset.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/style.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

/// Removes the first line from the text and returns it without its line end.
std::string_view take_line(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') end++;
  const std::string_view line = text.substr(0, end);
  const bool is_pair = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
  text.remove_prefix(std::min(text.size(), end + (is_pair ? 2 : 1)));
  return line;
}

/// Without a byte order mark, which is no letter. Standard input can be read only once.
std::string text_of(const std::string& path) {
  static std::string input;
  if (path == "-" && input.empty()) input = read_file("/dev/stdin");
  std::string text = path == "-" ? input : read_file(path);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

constexpr std::string_view blanks = " \t";

/// Up to the end of the mark that a line of a list begins with: "1.", "2)", "-", "*" or "•", and a space behind it.
/// Empty if it has none.
std::string_view mark_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
  const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view sign = word.substr(digits);
  const bool is_mark = digits > 0 ? sign == "." || sign == ")" : sign == "-" || sign == "*" || sign == "•";
  return line.substr(0, is_mark && end < line.size() ? end : 0);
}

/// The text without marks if, but for a heading and a tenth, all lines have one.
std::string without_marks(std::string text, const DataFile& file) {
  std::string names, example;
  std::size_t marked = 0, unmarked = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest), mark = mark_of(line);
    names.append(line.substr(mark.size())) += '\n';
    if (!mark.empty()) {
      if (marked == 0) example = mark.substr(mark.find_first_not_of(blanks));
      marked++;
    } else if (line.find_first_not_of(blanks) != std::string_view::npos) {
      unmarked++;
    }
    if (unmarked > 1 + marked / 9) return text;
  }
  if (marked < 2) return text;
  file.tell("note: lines of '" + file.path + "' begin with marks such as '" + example + "', which are left out");
  return names;
}

/// The file's column of a table, or a list that is none. Tells of what may be meant in another way.
std::string column_of(std::string text, const DataFile& file) {
  std::optional<std::string> fields = csv_column(text, file.column);
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
  std::vector<Document> documents;
  documents.reserve(std::min(max_documents, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1));
  const bool has_zero = text.find('\0') != std::string_view::npos;
  std::u32string characters;  // of a line
  auto add = [&](std::string_view part) {
    if (!decode_utf8(part, characters)) {
      throw Error("not valid UTF-8; convert the file, for instance with iconv -t UTF-8");
    }
    if (file.lower) std::transform(characters.begin(), characters.end(), characters.begin(), lower);
    std::u32string_view stripped = strip(characters);
    if (stripped.empty()) return;
    if (documents.size() == max_documents) {
      throw Error("more than " + std::to_string(max_documents) + " documents; give a smaller file");
    }
    if (!file.sign.empty()) {
      if (std::any_of(stripped.begin(), stripped.end(), is_sign)) {
        throw Error("a circled number, which would stand for a list; give this list alone");
      }
      stripped = characters = file.sign + std::u32string(stripped);
    }
    documents.push_back(keep(stripped));
    if (check) check(documents.back());
  };
  for (std::size_t number = 1; !text.empty(); number++) {
    const std::string_view line = take_line(text);
    try {
      if (has_zero && line.find('\0') != std::string_view::npos) {
        throw Error("a zero byte; this is a binary file, and the names should be plain UTF-8 text, one per line");
      }
      if (!file.commas) {
        add(line);
      } else {
        for (const std::string& part : parts(std::string(line), ',')) add(part);
      }
    } catch (const Error& error) {
      throw Error(file.path + ":" + std::to_string(number) + ": " + error.what());
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

static std::vector<Document> read_list(const DataFile& file, const std::function<void(const Document&)>& check) {
  std::string text = text_of(file.path);
  try {
    if (!file.column.empty()) text = column_of(std::move(text), file);
    text = without_marks(std::move(text), file);
  } catch (const Error& error) {
    throw Error(file.path + ": " + error.what());
  }
  return parse_documents(text, file, check);
}

std::vector<Document> read_documents(const DataFile& file, const std::function<void(const Document&)>& check) {
  const std::vector<Style> lists = styles_of(file.path);
  if (lists.size() == 1) return read_list(file, check);
  std::vector<Document> all;
  DataFile one = file;
  for (const Style& list : lists) {
    one.path = list.path;
    one.sign = list.sign;
    std::vector<Document> documents = read_list(one, check);
    all.insert(all.end(), std::make_move_iterator(documents.begin()), std::make_move_iterator(documents.end()));
  }
  return all;
}

}  // namespace microgpt
