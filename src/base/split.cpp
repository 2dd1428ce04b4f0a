#include "base/split.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/python_random.h"

namespace microgpt {
namespace {

/// Of equal documents the first stays. A sorted list of indices takes less memory than a set of millions of documents.
void drop_repeated(std::vector<Document>& documents) {
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return documents[a] < documents[b]; });
  std::vector<bool> repeated(documents.size());
  for (std::size_t i = 1; i < order.size(); i++) {
    repeated[order[i]] = documents[order[i]] == documents[order[i - 1]];
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < documents.size(); i++) {
    if (!repeated[i]) std::swap(documents[kept++], documents[i]);
  }
  documents.resize(kept);
}

}  // namespace

Split split(std::vector<Document> documents) {
  drop_repeated(documents);
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
