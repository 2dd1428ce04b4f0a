#include "program/measured_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/split.h"
#include "base/utf8.h"
#include "program/print.h"

namespace microgpt {

DataFile data_of(const Checkpoint& checkpoint, const std::optional<std::string>& given) {
  const std::string own = checkpoint.trained_with("data");
  if (!given && own == "-") throw UsageError("this model was trained on standard input; give its names with --data");
  if (!given && !own.empty() && !std::filesystem::exists(own)) {
    throw Error(fmt::format("this model was trained on '{}', which is not there; give its names with --data", own));
  }
  DataFile file(given.value_or(own.empty() ? usual_names : own));
  file.column = checkpoint.trained_with("column");
  file.needs_column = false;
  file.lower = checkpoint.trained_with("lower") == "yes";
  if (given) file.tell = tell;  // of the model's own file its training has told
  return file;
}

MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max) {
  MeasuredDocuments measured;
  const DataFile data = data_of(checkpoint, file);
  auto add = [&](const Document& document) {
    measured.available++;
    if (measured.documents.size() >= max.value_or(std::numeric_limits<std::size_t>::max())) return;
    if (std::min(checkpoint.config.block_size, document.size() + 1) > most_measured) {
      throw Error(fmt::format("it makes more than {} positions with BOS; give shorter documents", most_measured));
    }
    measured.probed.push_back(probe_document(document, checkpoint.tokenizer, checkpoint.config.block_size));
    measured.documents.push_back(document);
  };
  if (file) {
    read_documents(data, add);
  } else {
    try {
      for (const Document& document : split(read_documents(data)).held_out) add(document);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}; give documents of this model with --data", data.path, error.what()));
    }
  }
  const bool are_held_out = !file && !checkpoint.has_seen_all();
  measured.kind = file ? "given" : are_held_out ? "held-out" : "seen";
  measured.title = fmt::format("{} {}documents of {}{}", measured.documents.size(), are_held_out ? "held-out " : "",
                               data.path, file || are_held_out ? "" : ", which the model may have seen");
  return measured;
}

namespace {

bool knows(const Tokenizer& tokenizer, char32_t c) { return tokenizer.characters().find(c) != std::u32string::npos; }

/// If a word has a capital that the model does not know, but its small letter, all its capitals become small letters
/// that the model knows.
std::u32string in_known_letters(std::u32string text, const Tokenizer& tokenizer) {
  auto has_small = [&](char32_t c) { return knows(tokenizer, lower(c)); };
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if_not(begin, text.end(), is_space);
    const auto end = std::find_if(begin, text.end(), is_space);
    if (std::any_of(begin, end, [&](char32_t c) { return !knows(tokenizer, c) && has_small(c); })) {
      std::transform(begin, end, begin, [&](char32_t c) { return has_small(c) ? lower(c) : c; });
    }
    begin = end;
  }
  return text;
}

}  // namespace

std::u32string known_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                          std::u32string_view wildcards) {
  const std::optional<std::u32string> typed = decode_utf8(text);
  if (!typed) throw UsageError(option + " is not valid UTF-8");
  const std::u32string known = in_known_letters(*typed, tokenizer);
  std::u32string letters = known;
  std::erase_if(letters, [&](char32_t c) { return wildcards.find(c) != std::u32string_view::npos; });
  try {
    tokenizer.encode(letters);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + std::string(wildcards.empty() ? "" : "; only * and ? are special"));
  }
  if (known != *typed) {
    tell(fmt::format("note: {} is read as '{}': the model does not know all these capitals", option,
                     encode_utf8(known)));
  }
  return known;
}

std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most) {
  const std::size_t room = std::min(checkpoint.config.block_size, most) - 1;  // beside BOS
  std::u32string read = known_text("--text", text, checkpoint.tokenizer);
  if (read.size() > room) {
    tell(fmt::format("note: there is room for {} of {} characters of --text", room, read.size()));
    read.resize(room);
  }
  return checkpoint.tokenizer.encode_document(read);
}

}  // namespace microgpt
