#include "base/csv.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parse.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

using Record = std::vector<std::string>;

/// Removes the first record from the text. Line ends within a field become spaces.
Record take_record(std::string_view& text, char separator) {
  Record record(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != '\n'); i++) {
    const char c = text[i];
    if (quoted && text.substr(i, 2) == "\"\"") {
      record.back() += text[i++];
    } else if (c == '"' && (quoted || record.back().empty())) {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      record.emplace_back();
    } else if (c != '\r') {
      record.back() += c == '\n' ? ' ' : c;
    }
  }
  if (quoted) throw Error("the table has a double quote that does not end");
  text.remove_prefix(std::min(i + 1, text.size()));
  return record;
}

/// The names of the columns, for a message.
std::string listed(const Record& header) {
  constexpr std::size_t enough = 200;
  std::string names;
  for (const std::string& name : header) {
    if (names.size() > enough) return names + ", ...";
    names += (names.empty() ? "'" : ", '") + visible(name) + "'";
  }
  return names;
}

}  // namespace

std::optional<std::string> csv_column(std::string_view text, const std::string& column) {
  const std::size_t first = text.find_first_of(",;\t\n");
  const char separator = first < text.size() && text[first] != '\n' ? text[first] : ',';
  if (text.starts_with("sep=")) take_record(text, separator);  // the line before a table with which Excel is told
  std::string_view rest = text;
  const Record header = take_record(rest, separator);
  const auto named = std::find(header.begin(), header.end(), column);
  std::size_t place = static_cast<std::size_t>(named - header.begin());
  std::string fields = "\n";  // for the header
  if (named == header.end()) {
    place = parse_whole(column).value_or(0) - 1;
    if (place >= header.size()) {
      if (header.size() == 1) return std::nullopt;
      throw Error("the table has no column '" + visible(column) + "' in its first line; it has " + listed(header));
    }
    rest = text;
    fields.clear();
  }
  while (!rest.empty()) {
    const Record record = take_record(rest, separator);
    fields += (place < record.size() ? record[place] : "") + "\n";
  }
  return fields;
}

}  // namespace microgpt
