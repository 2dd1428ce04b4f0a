#include "program/measured_documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/split.h"
#include "base/utf8.h"

namespace microgpt {

MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max) {
  MeasuredDocuments measured;
  const std::string own = checkpoint.data_path();
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
    read_documents(*file, add);
  } else {
    try {
      for (const Document& document : split(read_documents(own)).held_out) add(document);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}; give documents of this model with --data", own, error.what()));
    }
  }
  const bool are_held_out = !file && !checkpoint.has_seen_all();
  measured.title = fmt::format("{} {}documents of {}{}", measured.documents.size(), are_held_out ? "held-out " : "",
                               file.value_or(own), file || are_held_out ? "" : ", which the model has seen");
  return measured;
}

std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most) {
  const std::optional<std::u32string> characters = decode_utf8(text);
  if (!characters) throw UsageError("--text is not valid UTF-8");
  const std::vector<Token> tokens = checkpoint.tokenizer.encode_document(*characters);
  const std::size_t n = characters->size();
  const std::size_t block_size = checkpoint.config.block_size;
  if (n + 1 <= std::min(block_size, most)) return tokens;
  throw UsageError(fmt::format("--text has {} characters, which makes {} positions with BOS; {} is {}", n, n + 1,
                               block_size <= most ? "this model's block_size" : "the most that can be shown",
                               std::min(block_size, most)));
}

}  // namespace microgpt
