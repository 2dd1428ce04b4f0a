// What generated names must be like. Names that are not are thrown away and drawn anew, so the others keep the
// probabilities that the model gives them, in proportion.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

struct Constraints {
  std::size_t min_length = 0;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  std::u32string prefix, suffix;
  std::u32string contains;
  std::u32string pattern;               // see matches(); empty: any name
  std::set<std::u32string> excluded;    // as bare() writes them
  std::vector<std::u32string> without;  // what no name may contain, in small letters

  /// Nothing for a name that is as it must be; else what is wrong with it: "too short", "known", ...
  std::string_view objection(const Document& name) const;
};

/// In small letters, without white space and hyphens: names that a reader takes for the same one.
std::u32string bare(std::u32string_view name);

/// Whether the text fits the pattern, in which * is any text, also none, and ? any character.
bool matches(std::u32string_view pattern, std::u32string_view text);

/// The characters before the first * or ?: every text that fits begins with them.
std::u32string_view literal_prefix(std::u32string_view pattern);

}  // namespace microgpt
