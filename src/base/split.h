// Splits a dataset into documents to train on and documents to evaluate on.
#pragma once

#include <vector>

#include "base/dataset.h"

namespace microgpt {

/// No document is in both parts, and none is repeated.
struct Split {
  std::vector<Document> training;
  std::vector<Document> held_out;
};

/// Drops repeated documents and holds out a tenth of the others. For the same file these are always the same documents.
/// Throws Error if there are fewer than ten distinct documents.
Split split(std::vector<Document> documents);

}  // namespace microgpt
