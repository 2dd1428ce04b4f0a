// What a model learns from, and what it is evaluated on.
#pragma once

#include <span>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

/// Documents to learn from and documents to evaluate on. Neither has a document of the other, and none comes twice.
struct Split {
  std::vector<Document> training;
  std::vector<Document> held_out;
};

/// Drops repeated documents and holds out a tenth of the others, always the same ones for the same file: `documents`
/// are in its order. Throws Error if there are fewer than ten distinct documents.
Split split(std::span<const Document> documents);

}  // namespace microgpt
