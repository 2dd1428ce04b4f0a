// What a model is given to read: the documents on which it is measured, and texts that were typed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heads/probe.h"
#include "train/checkpoint.h"

namespace microgpt {

struct MeasuredDocuments {
  std::string title;          // "1829 held-out documents of data/names.txt"
  std::string kind;           // "held-out", "seen" by the model, or "given" as a file
  std::size_t available = 0;  // how many there are; these are the first
  std::vector<Document> documents;
  std::vector<ProbeDocument> probed;  // the same as tokens
};

/// The documents of this file, or else a tenth of what the model was trained on, the tenth that --hold-out keeps back;
/// all, or the first `max`. Throws Error with file and line for a document that the model cannot read, or UsageError
/// if that is one of its own file.
MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max);

/// The most positions of a document whose heads are measured, and of one that has room in a map or in a page.
inline constexpr std::size_t most_measured = 2000;
inline constexpr std::size_t most_shown = 256;

/// The file that the model was trained on, data/names.txt if it does not say; or the `given` file, to be read in the
/// same way. Throws Error if none is given and the model's own is not there, or was standard input.
DataFile data_of(const Checkpoint& checkpoint, const std::optional<std::string>& given = {});

/// The text of an option. A capital that the model does not know is read as its small letter if the model knows that,
/// which is told. Throws UsageError if the model does not know all characters of the text, but for these wildcards.
std::u32string known_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                          std::u32string_view wildcards = U"");

/// A text that was typed with --text, as BOS, its characters, BOS: known_text() of at most `most` positions and
/// block_size. What has no room is left out, which is told.
std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most);

}  // namespace microgpt
