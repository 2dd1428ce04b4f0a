#include "train/constraints.h"

#include <algorithm>

#include "base/utf8.h"

namespace microgpt {

std::string_view Constraints::objection(const Document& name) const {
  if (name.size() < min_length) return "too short";
  if (name.size() > max_length) return "too long";
  if (!name.starts_with(prefix)) return "without that beginning";
  if (!name.ends_with(suffix)) return "without that end";
  if (name.find(contains) == std::u32string::npos) return "without that part";
  if (!pattern.empty() && !matches(pattern, name)) return "without that pattern";
  if (!excluded.empty() && excluded.contains(bare(name))) return "known";
  if (without.empty()) return {};
  std::u32string small(name);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  for (const std::u32string& text : without) {
    if (small.find(text) != std::u32string::npos) return "with a part that must not be";
  }
  return {};
}

std::u32string bare(std::u32string_view name) {
  std::u32string text;
  for (const char32_t c : name) {
    if (!is_space(c) && c != U'-' && c != 0x2010 && c != 0x2011) text += lower(c);
  }
  return text;
}

// A * first takes nothing. When the rest does not fit, the last * takes one character more.
bool matches(std::u32string_view pattern, std::u32string_view text) {
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

std::u32string_view literal_prefix(std::u32string_view pattern) {
  return pattern.substr(0, pattern.find_first_of(U"*?"));
}

}  // namespace microgpt
