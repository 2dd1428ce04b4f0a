#include "program/measured_documents.h"

#include <fmt/core.h>

#include <limits>

#include "base/error.h"
#include "base/split.h"

namespace microgpt {

MeasuredDocuments measured_documents(const Checkpoint& checkpoint, const std::optional<std::string>& file,
                                     std::optional<std::size_t> max) {
  MeasuredDocuments measured;
  auto add = [&](const Document& document) {
    if (measured.documents.size() >= max.value_or(std::numeric_limits<std::size_t>::max())) return;
    measured.probed.push_back(probe_document(document, checkpoint.tokenizer, checkpoint.config.block_size));
    measured.documents.push_back(document);
  };
  if (file) {
    read_documents(*file, add);
  } else {
    try {
      for (const Document& document : split(read_documents(names_file)).held_out) add(document);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}; give documents of this model with --data", names_file, error.what()));
    }
  }
  measured.title = fmt::format("{} {}documents of {}", measured.documents.size(), file ? "" : "held-out ",
                               file.value_or(names_file));
  return measured;
}

}  // namespace microgpt
