// What generated names must be like. Names that are not are thrown away and drawn anew, so the others keep the
// probabilities that the model gives them, in proportion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"
#include "base/utf8.h"

namespace microgpt {

/// In small letters, without white space, hyphens and dashes: names that a reader takes for the same one.
inline std::u32string bare(std::u32string_view name) {
  std::u32string text;
  for (const char32_t c : name) {
    if (!is_space(c) && c != U'-' && (c < 0x2010 || c > 0x2015)) text += lower(c);
  }
  return text;
}

/// Whether the text fits the pattern, in which * is any text, also none, and ? any character. A * first
/// takes nothing. When the rest does not fit, the last * takes one character more.
inline bool matches(std::u32string_view pattern, std::u32string_view text) {
  constexpr std::size_t none = std::u32string_view::npos;
  std::size_t p = 0, t = 0, star = none, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == U'*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == U'?' || pattern[p] == text[t])) {
      p++;
      t++;
    } else if (star != none) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + p, pattern.end(), [](char32_t c) { return c == U'*'; });
}

/// The characters before the first * or ?: every text that fits begins with them.
inline std::u32string_view literal_prefix(std::u32string_view pattern) {
  return pattern.substr(0, pattern.find_first_of(U"*?"));
}

struct Constraints {
  std::size_t min_length = 0;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  std::u32string prefix, suffix;
  std::u32string pattern;               // see matches(); empty: any name
  std::set<std::u32string> excluded;    // also their beginnings; as bare() writes them
  std::vector<std::u32string> without;  // what no name may contain, in small letters

  /// Nothing for a name that is as it must be; else what is wrong with it: "too short", "known", ...
  std::string_view objection(const Document& name) const {
    if (name.size() < min_length) return "too short";
    if (name.size() > max_length) return "too long";
    if (!name.starts_with(prefix)) return "without that beginning";
    if (!name.ends_with(suffix)) return "without that end";
    if (!pattern.empty() && !matches(pattern, name)) return "without that pattern";
    const std::u32string text = excluded.empty() ? U"" : bare(name);
    const auto known = excluded.lower_bound(text);  // the first of those that begin so, if there are any
    if (known != excluded.end() && known->starts_with(text)) return "known, or the beginning of a known one";
    if (without.empty()) return {};
    std::u32string small(name);
    std::transform(small.begin(), small.end(), small.begin(), lower);
    for (const std::u32string& part : without) {
      if (small.find(part) != std::u32string::npos) return "with a part that must not be";
    }
    return {};
  }
};

}  // namespace microgpt
