#include "base/dataset.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"

namespace microgpt {
namespace {

/// Removes the first line from the text and returns it without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
  } else {
    text.remove_prefix(text.substr(end, 2) == "\r\n" ? end + 2 : end + 1);
  }
  return line;
}

}  // namespace

std::vector<Document> parse_documents(std::string_view text, const std::string& name,
                                      const std::function<void(const Document&)>& check) {
  std::vector<Document> documents;
  for (std::size_t number = 1; !text.empty(); number++) {
    const std::string_view line = take_line(text);
    const auto where = [&] { return name + ":" + std::to_string(number) + ": "; };
    if (line.find('\0') != std::string_view::npos) {
      throw Error(where() +
                  "a zero byte; this is a binary file, and the names should be plain UTF-8 text, one per line");
    }
    const std::optional<std::u32string> characters = decode_utf8(line);
    if (!characters) throw Error(where() + "not valid UTF-8; convert the file, for instance with iconv -t UTF-8");
    const std::u32string_view document = strip(*characters);
    if (document.empty()) continue;
    if (documents.size() == max_documents) {
      throw Error(where() + "more than " + std::to_string(max_documents) + " documents; give a smaller file");
    }
    documents.emplace_back(document);
    try {
      if (check) check(documents.back());
    } catch (const Error& error) {
      throw Error(where() + error.what());
    }
  }
  if (documents.empty()) throw Error(name + ": no documents in it; put one name on each line");
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

std::vector<Document> read_documents(const std::string& path, const std::function<void(const Document&)>& check) {
  return parse_documents(read_file(path), path, check);
}

}  // namespace microgpt
