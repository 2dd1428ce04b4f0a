#include "base/mask_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/parse.h"

namespace microgpt {
namespace {

/// A kind of pattern, and which members its numbers set.
struct Form {
  std::string name;
  std::string fields;                               // as written after the name, e.g. ":W:S"
  std::vector<std::size_t MaskPattern::*> numbers;  // one member for each letter of `fields`
  MaskPattern defaults;                             // the other members
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"full", "", {}, {}},
      {"local", ":W", {&MaskPattern::window}, {}},
      {"strided", ":W:S", {&MaskPattern::window, &MaskPattern::stride}, {}},
      {"global", ":W:G", {&MaskPattern::window, &MaskPattern::n_global}, {}},
      {"random", ":R", {&MaskPattern::n_random}, {.window = 1}},
      {"bigbird", ":W:G:R", {&MaskPattern::window, &MaskPattern::n_global, &MaskPattern::n_random}, {}},
      {"block", ":S", {&MaskPattern::block}, {}},
  };
  return all;
}

}  // namespace

std::string mask_forms() {
  std::string all;
  for (const Form& form : forms()) all += (all.empty() ? "" : ", ") + form.name + form.fields;
  return all;
}

MaskPattern parse_mask_pattern(const std::string& spec) {
  auto refuse = [&](const std::string& why) { throw UsageError(fmt::format("mask '{}': {}", spec, why)); };
  const std::vector<std::string> words = parts(spec, ':');
  auto is_named = [&](const Form& form) { return form.name == words[0]; };
  const auto form = std::find_if(forms().begin(), forms().end(), is_named);
  if (form == forms().end()) refuse(fmt::format("there is no '{}'; there are {}", words[0], mask_forms()));
  const std::size_t n = form->numbers.size();
  if (words.size() != n + 1) {
    refuse(fmt::format("{} takes {} number{}, not {}; write {}{}", form->name, n, n == 1 ? "" : "s", words.size() - 1,
                       form->name, form->fields));
  }
  MaskPattern pattern = form->defaults;
  for (std::size_t i = 0; i < n; i++) {
    constexpr std::size_t max = 1'000'000'000;
    const std::string& word = words[i + 1];
    const std::optional<std::size_t> number = parse_whole(word);
    if (!number || *number > max) {
      refuse(fmt::format("{} is '{}'; it must be a whole number, at most {}", form->fields[2 * i + 1], word, max));
    }
    pattern.*form->numbers[i] = *number;
  }
  if (pattern.window == 0) refuse("a window of 0 hides everything, even the token itself; use 1 or more");
  if (form->name == "strided" && pattern.stride == 0) refuse("a stride of 0 never leaves the token; use 1 or more");
  if (form->name == "block") {
    if (pattern.block == 0) refuse("a block of 0 holds no token; use 1 or more");
    pattern.n_global = pattern.block;
  }
  return pattern;
}

std::vector<MaskPattern> parse_mask_patterns(const std::string& specs) {
  if (specs.size() > 1000) throw UsageError("mask '" + specs.substr(0, 40) + "...' is too long");
  std::vector<MaskPattern> patterns;
  for (const std::string& spec : parts(specs, ',')) patterns.push_back(parse_mask_pattern(spec));
  return patterns;
}

std::string mask_spec(const MaskPattern& p) {
  if (p == MaskPattern{}) return "full";
  if (p.block > 0) return fmt::format("block:{}", p.block);
  if (p.stride > 0) return fmt::format("strided:{}:{}", p.window, p.stride);
  if (p.n_random > 0 && p.window == 1 && p.n_global == 0) return fmt::format("random:{}", p.n_random);
  if (p.n_random > 0) return fmt::format("bigbird:{}:{}:{}", p.window, p.n_global, p.n_random);
  if (p.n_global > 0) return fmt::format("global:{}:{}", p.window, p.n_global);
  return fmt::format("local:{}", p.window);
}

std::string mask_specs(const std::vector<MaskPattern>& patterns) {
  std::string all;
  for (const MaskPattern& pattern : patterns) all += (all.empty() ? "" : ",") + mask_spec(pattern);
  return all;
}

}  // namespace microgpt
