// The documents on which the heads of a model are measured, and the text on which they are shown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "inspect/probe.h"
#include "train/checkpoint.h"

namespace microgpt {

struct MeasuredDocuments {
  std::string title;  // "1829 held-out documents of data/names.txt"
  std::vector<Document> documents;
  std::vector<ProbeDocument> probed;  // the same as tokens
};

/// The documents of this file, or else a tenth of what the model was trained on, the tenth that --hold-out keeps back;
/// all, or the first `max`. Throws Error with file and line for a document that the model cannot read, or UsageError
/// if that is one of its own file.
MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max);

/// The most positions that have room in a map or in a page.
inline constexpr std::size_t most_shown = 256;

/// A text that was typed with --text, as BOS, its characters, BOS. Throws UsageError if the model cannot read it, or if
/// it has more than `most` positions.
std::vector<Token> read_text(const std::string& text, const Checkpoint& checkpoint, std::size_t most);

}  // namespace microgpt
