#include "base/utf8.h"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace microgpt {

std::optional<std::u32string> decode_utf8(std::string_view bytes) {
  std::u32string code_points(bytes.size(), 0);
  const std::optional<std::size_t> n = decode_utf8(bytes, code_points.data());
  return n ? std::optional(code_points.substr(0, *n)) : std::nullopt;
}

std::optional<std::size_t> decode_utf8(std::string_view bytes, char32_t* code_points) {
  char32_t* out = code_points;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i++]);
    if (lead < 0x80) {
      *out++ = lead;
      continue;
    }
    const int following = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4) return std::nullopt;
    char32_t code_point = lead & (0x3fU >> following);
    for (int k = 0; k < following; k++) {
      if (i == bytes.size()) return std::nullopt;
      const auto next = static_cast<unsigned char>(bytes[i++]);
      if ((next & 0xc0U) != 0x80U) return std::nullopt;
      code_point = (code_point << 6) | (next & 0x3fU);
    }
    constexpr std::array<char32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
    const bool overlong = code_point < smallest[static_cast<std::size_t>(following)];
    const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    if (overlong || surrogate || code_point > 0x10ffff) return std::nullopt;
    *out++ = code_point;
  }
  return static_cast<std::size_t>(out - code_points);
}

std::string encode_utf8(char32_t code_point) {
  auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  auto tail = [&](int shift) { return byte(0x80U | ((code_point >> shift) & 0x3fU)); };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) return {byte(0xc0U | (code_point >> 6)), tail(0)};
  if (code_point < 0x10000) return {byte(0xe0U | (code_point >> 12)), tail(6), tail(0)};
  return {byte(0xf0U | (code_point >> 18)), tail(12), tail(6), tail(0)};
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string out;
  for (char32_t code_point : code_points) out += encode_utf8(code_point);
  return out;
}

std::string utf16_to_utf8(std::string_view bytes) {
  const bool is_big_endian = bytes.front() == '\xfe';
  auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  std::u32string text;
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    const char32_t unit = is_big_endian ? byte(i) << 8 | byte(i + 1) : byte(i + 1) << 8 | byte(i);
    const bool is_second = (unit & 0xfc00U) == 0xdc00 && !text.empty() && (text.back() & 0x1ffc00U) == 0xd800;
    if (is_second) {
      text.back() = 0x10000 + ((text.back() & 0x3ffU) << 10 | (unit & 0x3ffU));
    } else {
      text += unit;
    }
  }
  return encode_utf8(text);
}

std::string visible(std::string_view bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t n = 1;  // bytes of a character
    while (n < 4 && i + n < bytes.size() && !decode_utf8(bytes.substr(i, n))) n++;
    const std::optional<std::u32string> character = decode_utf8(bytes.substr(i, n));
    if (!character) n = 1;
    const char32_t c = character ? character->front() : static_cast<unsigned char>(bytes[i]);
    const bool turns_text = (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);  // or breaks a line
    const bool is_harmless =
        character && c >= ' ' && (c < 0x7f || c >= 0xa0) && c != 0xfffe && c != 0xffff && !turns_text;
    if (is_harmless) {
      result += bytes.substr(i, n);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
    }
    i += n;
  }
  return result;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
  constexpr std::array<char32_t, 8> alone{0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
  return (c >= 0x2000 && c <= 0x200a) || std::find(alone.begin(), alone.end(), c) != alone.end();
}

bool is_invisible(char32_t c) {
  return c == 0xad || c == 0x200b || c == 0x200e || c == 0x200f || c == 0x2060 || c == 0xfeff;
}

namespace {

/// What the C library knows of Unicode, whatever the user's locale is.
locale_t unicode() {
  static const locale_t known = [] {
    locale_t found = nullptr;
    for (const char* name : {"C.UTF-8", "UTF-8", "en_US.UTF-8", "C"}) {
      if (found == nullptr) found = ::newlocale(LC_CTYPE_MASK, name, nullptr);
    }
    return found;
  }();
  return known;
}

}  // namespace

char32_t lower(char32_t c) { return static_cast<char32_t>(::towlower_l(static_cast<wint_t>(c), unicode())); }

std::size_t display_width(std::string_view text) {
  const std::optional<std::u32string> characters = decode_utf8(text);
  if (!characters) return text.size();
  static const wctype_t mark = ::wctype_l("combining", unicode());
  const locale_t before = ::uselocale(unicode());
  std::size_t width = 0;
  for (const char32_t c : *characters) {
    if (::iswctype(static_cast<wint_t>(c), mark) != 0) continue;
    width += static_cast<std::size_t>(std::abs(::wcwidth(static_cast<wchar_t>(c))));  // -1: it does not know it
  }
  ::uselocale(before);
  return width;
}

std::string pad_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, display_width(text)), ' ');
}

std::u32string_view strip(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace microgpt
