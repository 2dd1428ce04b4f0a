#include "program/measured_documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

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

constexpr const char* small_letters = "the model does not know all these capitals";

std::u32string decoded(const std::string& option, const std::string& text) {
  const std::optional<std::u32string> typed = decode_utf8(text);
  if (!typed) throw UsageError(option + " is not valid UTF-8");
  return *typed;
}

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

void tell_reading(const std::string& option, std::u32string_view read, const std::vector<std::string>& changes) {
  if (changes.empty()) return;
  constexpr std::size_t enough = 200;
  const std::string shown = encode_utf8(read.substr(0, enough)) + (read.size() > enough ? "..." : "");
  tell(fmt::format("note: {} is read as '{}': {}", option, shown, fmt::join(changes, "; ")));
}

}  // namespace

std::u32string known_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                          std::u32string_view wildcards) {
  const std::u32string typed = decoded(option, text), known = in_known_letters(typed, tokenizer);
  std::u32string letters = known;
  std::erase_if(letters, [&](char32_t c) { return wildcards.find(c) != std::u32string_view::npos; });
  try {
    tokenizer.encode(letters);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + std::string(wildcards.empty() ? "" : "; only * and ? are special"));
  }
  if (known != typed) tell_reading(option, known, {small_letters});
  return known;
}

std::u32string readable_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                             std::size_t most) {
  const std::u32string typed = decoded(option, text), known = in_known_letters(typed, tokenizer);
  std::vector<std::string> changes;
  if (known != typed) changes.emplace_back(small_letters);
  std::u32string read;
  std::set<char32_t> unknown;
  bool has_spaces = false;  // before the text, or that the model does not know
  for (const char32_t c : known) {
    if (is_space(c) && (read.empty() || !knows(tokenizer, c))) {
      has_spaces = true;
    } else if (knows(tokenizer, c)) {
      read += c;
    } else {
      unknown.insert(c);
    }
  }
  if (read.empty()) tokenizer.encode(known);
  if (has_spaces) changes.emplace_back("spaces are left out");
  if (!unknown.empty()) {
    const std::u32string letters(unknown.begin(), unknown.end());
    changes.push_back(fmt::format("the model does not know {}", Tokenizer(letters).alphabet()));
  }
  if (read.size() > most) changes.push_back(fmt::format("there is room for {} of {} characters", most, read.size()));
  read.resize(std::min(read.size(), most));
  tell_reading(option, read, changes);
  return read;
}

std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most) {
  const std::size_t room = std::min(checkpoint.config.block_size, most) - 1;  // beside BOS
  return checkpoint.tokenizer.encode_document(readable_text("--text", text, checkpoint.tokenizer, room));
}

}  // namespace microgpt
