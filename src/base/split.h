// Splits a dataset into documents to train on and documents to evaluate on.
#pragma once

#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/dataset.h"
#include "base/error.h"
#include "base/python_random.h"

namespace microgpt {

/// No document is in both parts, and none is repeated.
struct Split {
  std::vector<Document> training;
  std::vector<Document> held_out;
};

/// Drops repeated documents and holds out a tenth of the others. For the same file these are always the same documents.
/// Throws Error if there are fewer than ten distinct documents.
inline Split split(std::vector<Document> documents) {
  std::unordered_set<std::u32string_view> seen(documents.size());  // of equal documents the first stays
  std::erase_if(documents, [&](const Document& document) { return !seen.insert(document).second; });
  if (documents.size() < 10) {
    throw Error("the data has " + std::to_string(documents.size()) +
                " distinct documents; to hold out a tenth, at least 10 are needed");
  }
  PythonRandom random(42);  // always 42, whatever the training's seed: the same documents are held out from every model
  random.shuffle(documents);
  const auto cut = documents.end() - static_cast<std::ptrdiff_t>(documents.size() / 10);
  std::vector<Document> held_out(std::make_move_iterator(cut), std::make_move_iterator(documents.end()));
  documents.erase(cut, documents.end());
  return {std::move(documents), std::move(held_out)};
}

}  // namespace microgpt
