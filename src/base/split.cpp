#include "base/split.h"

#include <set>
#include <string>

#include "base/error.h"
#include "base/python_random.h"

namespace microgpt {

Split split(std::span<const Document> documents) {
  std::vector<Document> distinct;
  std::set<std::u32string_view> seen;
  for (const Document& document : documents) {
    if (seen.insert(document).second) distinct.push_back(document);
  }
  if (distinct.size() < 10) {
    throw Error("the data has " + std::to_string(distinct.size()) +
                " distinct documents; to hold out a tenth, at least 10 are needed");
  }
  PythonRandom random(42);  // always 42, whatever the training's seed: the same documents are held out from every model
  random.shuffle(distinct);
  const auto cut = distinct.end() - static_cast<std::ptrdiff_t>(distinct.size() / 10);
  return {{distinct.begin(), cut}, {cut, distinct.end()}};
}

}  // namespace microgpt
