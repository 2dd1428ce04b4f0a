#include "program/measured_documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/split.h"
#include "base/utf8.h"
#include "program/print.h"

namespace microgpt {

DataFile data_of(const Checkpoint& checkpoint, const std::optional<std::string>& given) {
  const std::string own = checkpoint.trained_with("data");
  const std::vector<std::string> files = paths_of(own);
  if (!given && std::count(files.begin(), files.end(), "-") > 0)
    throw UsageError("this model was trained on standard input; give its names with --data");
  DataFile file(given.value_or(own.empty() ? usual_names : own));
  file.column = checkpoint.trained_with("column");
  file.commas = checkpoint.trained_with("commas") == "yes";
  file.lower = checkpoint.trained_with("lower") == "yes";
  return file;
}

DataFile measured_data(const Checkpoint& checkpoint, const std::optional<std::string>& given) {
  DataFile data = data_of(checkpoint, given);
  const std::size_t given_lists = paths_of(data.path).size();
  const std::size_t lists = paths_of(checkpoint.trained_with("data")).size();
  if (given_lists == lists) return data;
  throw UsageError(fmt::format("--data names {} of this model's {} lists; give them all, in the order of its training",
                               given_lists, lists));
}

MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max) {
  MeasuredDocuments measured;
  const DataFile data = measured_data(checkpoint, file);
  auto add = [&](const Document& document) {
    if (measured.documents.size() >= max.value_or(std::numeric_limits<std::size_t>::max())) return;
    const Config& config = checkpoint.config;
    const std::size_t n = std::min(config.block_size, document.size() + 1);
    if (n > max_positions(config)) {
      throw Error(
          fmt::format("it makes {} positions with BOS, and this model's heads can be measured on at most {}; "
                      "give shorter documents",
                      n, max_positions(config)));
    }
    measured.probed.push_back(probe_document(document, checkpoint.tokenizer, config.block_size));
    measured.documents.push_back(document);
  };
  if (file) {
    read_documents(data, add);
  } else {
    try {
      for (const Document& document : split(read_documents(data), styles_of(data.path)).held_out) add(document);
    } catch (const UsageError& error) {
      throw UsageError(
          fmt::format("{}: {}; give documents of this model with --data", title_of(data.path), error.what()));
    }
  }
  const bool are_held_out = !file && !checkpoint.has_seen_all();
  measured.title = fmt::format("{} {}documents of {}{}", measured.documents.size(), are_held_out ? "held-out " : "",
                               title_of(data.path), file || are_held_out ? "" : ", which the model has seen");
  return measured;
}

std::u32string known_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                          std::u32string_view wildcards) {
  const std::optional<std::u32string> decoded = decode_utf8(text);
  if (!decoded) throw UsageError(option + " is not valid UTF-8");
  std::u32string known = *decoded;
  auto knows = [&](char32_t c) { return tokenizer.characters().find(c) != std::u32string::npos; };
  for (char32_t& c : known) {
    if (!knows(c) && knows(lower(c))) c = lower(c);
  }
  std::u32string letters = known;
  std::erase_if(letters, [&](char32_t c) { return wildcards.find(c) != std::u32string_view::npos; });
  tokenizer.encode(letters);
  if (known != *decoded) {
    tell(fmt::format("note: {} is read as '{}': the model does not know these capitals", option, encode_utf8(known)));
  }
  return known;
}

std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most) {
  const std::u32string characters = known_text("--text", text, checkpoint.tokenizer);
  const std::vector<Token> tokens = checkpoint.tokenizer.encode_document(characters);
  const std::size_t n = characters.size();
  const std::size_t block_size = checkpoint.config.block_size;
  if (n + 1 <= std::min(block_size, most)) return tokens;
  throw UsageError(fmt::format("--text has {} characters, which makes {} positions with BOS; {} is {}", n, n + 1,
                               block_size <= most ? "this model's block_size" : "the most that can be shown",
                               std::min(block_size, most)));
}

}  // namespace microgpt
