#include "base/split.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/python_random.h"

namespace microgpt {

Split split(std::vector<Document> documents) {
  // Of equal documents the first stays. Its number, counted from 1, stands in a table where its hash says, or in the
  // next free place.
  std::vector<std::uint32_t> table(std::bit_ceil(2 * documents.size() + 1));
  std::uint32_t kept = 0;
  for (Document& document : documents) {
    std::size_t place = std::hash<std::u32string_view>()(document) % table.size();
    while (table[place] != 0 && documents[table[place] - 1] != document) place = (place + 1) % table.size();
    if (table[place] != 0) continue;
    std::swap(documents[kept++], document);
    table[place] = kept;
  }
  documents.resize(kept);
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
