#include "base/style.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/parse.h"
#include "base/python_random.h"

namespace microgpt {
namespace {

constexpr char32_t first_sign = U'\u2460';  // ①

/// Takes the weight from behind the path, if there is one.
void read_weight(Style& list) {
  constexpr std::size_t most = 1000;
  const std::size_t colon = list.path.rfind(':');
  if (colon == std::string::npos) return;
  const std::optional<std::size_t> weight = parse_whole(list.path.substr(colon + 1));
  if (!weight) return;
  if (*weight < 1 || *weight > most) {
    throw UsageError("the weight of '" + list.path + "' must be from 1 to " + std::to_string(most));
  }
  list.weight = *weight;
  list.path.resize(colon);
}

}  // namespace

bool is_sign(char32_t character) { return character >= first_sign && character < first_sign + most_styles; }

std::string Style::name() const { return std::filesystem::path(path).stem().string(); }

std::vector<Style> styles_of(const std::string& path) {
  constexpr std::size_t most_bytes = 1000;  // that a checkpoint remembers
  std::vector<Style> lists;
  for (const std::string& part : parts(path, '\n')) lists.push_back({part});
  if (lists.size() == 1) return lists;
  if (lists.size() > most_styles || path.size() > most_bytes) {
    throw UsageError("there are too many lists; at most " + std::to_string(most_styles) + " can be told apart, with " +
                     std::to_string(most_bytes) + " bytes for their paths");
  }
  std::set<std::string> names;
  for (Style& list : lists) {
    list.sign = first_sign + static_cast<char32_t>(names.size());
    read_weight(list);
    if (names.insert(list.name()).second) continue;
    throw UsageError("two lists are called '" + list.name() + "'; rename a file, so that one can ask for either");
  }
  return lists;
}

std::vector<std::string> paths_of(const std::string& path) {
  std::vector<std::string> paths;
  for (const Style& list : styles_of(path)) paths.push_back(list.path);
  return paths;
}

std::string title_of(std::string path) {
  for (std::size_t i = 0; (i = path.find('\n', i)) != std::string::npos;) path.replace(i, 1, ", ");
  return path;
}

std::u32string_view without_sign(std::u32string_view document) {
  const bool has_sign = !document.empty() && is_sign(document.front());
  return document.substr(has_sign ? 1 : 0);
}

void weigh(std::vector<Document>& documents, const std::vector<Style>& lists, PythonRandom& random) {
  if (lists.size() == 1) return;
  const std::size_t num_documents = documents.size();
  for (const Style& list : lists) {
    for (std::size_t i = 0; i < num_documents; i++) {
      if (documents[i].starts_with(list.sign)) documents.insert(documents.end(), list.weight - 1, documents[i]);
      if (documents.size() > max_documents) throw UsageError("the weights are too large for so many documents");
    }
  }
  if (documents.size() > num_documents) random.shuffle(documents);
}

}  // namespace microgpt
