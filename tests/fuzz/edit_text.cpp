#include "edit_text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/python_random.h"

namespace microgpt {
namespace {

/// A place in a text.
struct Span {
  std::size_t begin, end;
};

std::string at(const std::string& text, Span span) { return text.substr(span.begin, span.end - span.begin); }

std::string with(const std::string& text, Span span, const std::string& other) {
  return text.substr(0, span.begin) + other + text.substr(span.end);
}

/// The text with what stands in two places exchanged.
std::string with_exchanged(const std::string& text, Span a, Span b) {
  if (a.begin > b.begin) std::swap(a, b);
  return a.begin == b.begin ? text : with(with(text, b, at(text, a)), a, at(text, b));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The whole numbers, also those in quotes and in names.
std::vector<Span> numbers_in(const std::string& text) {
  std::vector<Span> found;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (!is_digit(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) i++;
    found.push_back({begin, i});
  }
  return found;
}

/// What stands between quotes: names and texts.
std::vector<Span> texts_in(const std::string& text) {
  std::vector<Span> found;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (quoted && text[i] == '\\') i++;
    if (i >= text.size() || text[i] != '"') continue;
    if (quoted) found.push_back({begin, i});
    quoted = !quoted;
    begin = i + 1;
  }
  return found;
}

/// The members of objects and lists, without the commas between them.
std::vector<Span> members_in(const std::string& text) {
  std::vector<Span> found;
  std::vector<std::size_t> begins;  // of the current member of each object and list around it
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') i++;
    if (quoted || i >= text.size()) continue;
    const bool closes = text[i] == '}' || text[i] == ']';
    if ((closes || text[i] == ',') && !begins.empty()) {
      found.push_back({begins.back(), i});
      begins.back() = i + 1;
    }
    if (closes && !begins.empty()) begins.pop_back();
    if (text[i] == '{' || text[i] == '[') begins.push_back(i + 1);
  }
  return found;
}

/// One of n, more often one of the first: __metadata__ comes before the tensors.
std::size_t early(std::size_t n, PythonRandom& random) { return random.below(random.below(n) + 1); }

constexpr std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

/// A number where code that computes with sizes may go wrong, or one close to the one that is there.
std::string other_number(const std::string& number, PythonRandom& random) {
  constexpr std::array<std::uint64_t, 15> interesting{
      0,       1,       2,       3,       64,      100,     1'000'000,         1'000'000'000,
      bit(31), bit(32), bit(53), bit(60), bit(61), bit(63), ~std::uint64_t{0},
  };
  std::uint64_t near = 0;
  for (const char digit : number) near = 10 * near + static_cast<std::uint64_t>(digit - '0');
  switch (random.below(6)) {
    case 0: return std::to_string(near + 1);
    case 1: return std::to_string(near - 1);
    case 2: return std::to_string(2 * near);
    case 3: return std::to_string(random.below(200));
    default: return std::to_string(interesting[random.below(interesting.size())]);
  }
}

/// A text that the metadata may have somewhere, or one that is there in another place.
std::string other_text(const std::string& header, const std::vector<Span>& texts, PythonRandom& random) {
  static const std::vector<std::string> known{"",
                                              "0",
                                              "-1",
                                              "1.5",
                                              "microgpt",
                                              "relu",
                                              "squared_relu",
                                              "learned",
                                              "rope",
                                              "full",
                                              "local:2",
                                              "block:3",
                                              "random:2",
                                              "strided:2:3",
                                              "global:2:1",
                                              "bigbird:2:1:1",
                                              "abc",
                                              "aa",
                                              "\\u00e4",
                                              "\\ud800",
                                              "18446744073709551615",
                                              "rope_dim",
                                              "n_kv_head",
                                              "q_latent",
                                              "kv_latent",
                                              "mask",
                                              "pos",
                                              "F64",
                                              "F32",
                                              "adam.m.wte",
                                              "wte",
                                              "__metadata__"};
  return random.below(3) > 0 ? known[random.below(known.size())] : at(header, texts[random.below(texts.size())]);
}

}  // namespace

std::string edit_number(const std::string& text, PythonRandom& random) {
  const std::vector<Span> numbers = numbers_in(text);
  if (numbers.empty()) return text;
  const Span number = numbers[early(numbers.size(), random)];
  return with(text, number, other_number(at(text, number), random));
}

std::string resize_tensor(const std::string& header, PythonRandom& random) {
  try {
    nlohmann::json tensors = nlohmann::json::parse(header);
    auto tensor = std::next(tensors.begin(), static_cast<std::ptrdiff_t>(random.below(tensors.size())));
    auto& rows = tensor->at("shape").at(0);
    rows = std::stoull(other_number(std::to_string(rows.get<std::uint64_t>()), random));
    std::uint64_t bytes = sizeof(double);
    for (const std::uint64_t size : tensor->at("shape")) bytes *= size;
    const std::uint64_t begin = tensor->at("data_offsets").at(0), end = tensor->at("data_offsets").at(1);
    for (auto& fields : tensors) {
      if (!fields.contains("data_offsets")) continue;
      for (auto& offset : fields.at("data_offsets")) {
        const std::uint64_t was = offset;
        if (was >= end) offset = was - end + begin + bytes;
      }
    }
    return tensors.dump();
  } catch (const nlohmann::json::exception&) {
    return header;  // not a header any more, or this is __metadata__
  }
}

std::string edit_header(const std::string& header, PythonRandom& random) {
  const std::vector<Span> texts = texts_in(header), members = members_in(header);
  if (texts.empty() || members.empty()) return header;
  const Span text = texts[early(texts.size(), random)];
  const Span member = members[early(members.size(), random)];
  switch (random.below(8)) {
    case 0: return with(header, text, other_text(header, texts, random));
    case 1: return with(header, {member.begin, member.end + (header[member.end] == ',' ? 1 : 0)}, "");
    case 2: {
      const std::size_t to = members[early(members.size(), random)].begin;
      return with(header, {to, to}, at(header, member) + ",");
    }
    case 3: return with_exchanged(header, text, texts[random.below(texts.size())]);
    case 4: return resize_tensor(header, random);
    default: return edit_number(header, random);
  }
}

}  // namespace microgpt
