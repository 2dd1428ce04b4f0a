#include "base/table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/parse.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

using Record = std::vector<std::string>;
using Json = nlohmann::ordered_json;

/// Removes the first record from the text. Line ends within a field become spaces. The separator, if it is 0, becomes
/// the first that stands in no quotes.
Record take_record(std::string_view& text, char& separator) {
  Record record(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || (text[i] != '\n' && text[i] != '\r')); i++) {
    const char c = text[i];
    if (quoted && text.substr(i, 2) == "\"\"") {
      record.back() += text[i++];
    } else if (c == '"' && (quoted || record.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && (separator != 0 ? c == separator : c == ',' || c == ';' || c == '\t')) {
      separator = c;
      record.emplace_back();
    } else if (c != '\r' && (c != ' ' || !record.back().empty())) {
      record.back() += c == '\n' ? ' ' : c;
    }
  }
  for (std::string& field : record) field.erase(field.find_last_not_of(' ') + 1);
  if (text.substr(i).starts_with("\r\n")) i++;
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

/// What a JSON text is, or, if there are several on lines of their own, the list of these.
Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    std::string list(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    std::replace(list.begin(), list.end(), '\n', ',');
    Json entries = Json::parse("[" + list + "]", nullptr, false);
    if (!entries.is_discarded()) return entries;
    const auto lines = std::count(text.begin(), text.begin() + std::min(error.byte, text.size()), '\n');
    throw Error("it begins as JSON, and is none from line " + std::to_string(lines + 1) + " on");
  }
}

}  // namespace

std::optional<std::string> csv_column(std::string_view text, const std::string& column) {
  char separator = 0;
  if (text.starts_with("sep=")) take_record(text, separator);  // the line before a table with which Excel is told
  std::string_view rest = text;
  const Record header = take_record(rest, separator);
  if (column.empty() && header.size() > 1) throw Error("it is a table; name one of its columns: " + listed(header));
  const auto named = std::find(header.begin(), header.end(), column);
  std::size_t place = static_cast<std::size_t>(named - header.begin());
  std::string fields = "\n";  // for the header: see table.h
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

std::optional<std::string> json_column(std::string_view text, const std::string& column) {
  std::string begin;  // its first two signs
  for (std::size_t i = 0; i < text.size() && begin.size() < 2; i++) {
    if (std::string_view(" \t\r\n").find(text[i]) == std::string_view::npos) begin += text[i];
  }
  constexpr std::array<std::string_view, 5> begins{"[\"", "[{", "[]", "{\"", "{}"};
  if (std::find(begins.begin(), begins.end(), begin) == begins.end()) return std::nullopt;
  Json all = parse_json(text);
  if (all.is_object()) {
    Json list = Json::array();
    const bool is_list = all.contains(column) && all[column].is_array();
    is_list ? list.swap(all[column]) : list.push_back(std::move(all));
    all = std::move(list);
  }
  Record names;  // of columns
  std::string fields;
  bool has_column = false;
  for (const Json& entry : all) {
    if (entry.is_object() && names.empty()) {
      for (const auto& [name, value] : entry.items()) names.push_back(name);
    }
    const bool is_found = entry.is_object() && entry.contains(column);
    has_column = has_column || is_found;
    const Json& value = is_found ? entry[column] : entry;
    if (value.is_array() || (is_found && value.is_object())) {
      throw Error(std::string("the JSON list has an entry that is no text, but an ") + value.type_name());
    }
    std::string field = value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
    std::replace_if(field.begin(), field.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    fields += field + "\n";
  }
  if (!names.empty() && !has_column) {
    throw Error((column.empty() ? "it is a JSON table; name one of its columns: "
                                : "the JSON table has no column '" + visible(column) + "'; it has ") +
                listed(names));
  }
  return fields;
}

}  // namespace microgpt
