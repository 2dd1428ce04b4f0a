// UTF-8 as code points. A token is a code point, as in Python, not a byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace microgpt {

/// The code points of a text, or nothing if it is not valid UTF-8 (broken, overlong or surrogate sequences).
std::optional<std::u32string> decode_utf8(std::string_view bytes);

/// The same to memory that has room for as many as there are bytes. Returns how many there are.
std::optional<std::size_t> decode_utf8(std::string_view bytes, char32_t* code_points);

/// UTF-16 behind its mark, FE FF or FF FE, as UTF-8. What is broken in it makes broken UTF-8.
std::string utf16_to_utf8(std::string_view bytes);

std::string encode_utf8(char32_t code_point);
std::string encode_utf8(std::u32string_view code_points);

/// The text with control characters, those that break a line or turn the direction of a text, and bytes that are not
/// UTF-8, written out as in "\\x1b": so they cannot act on a terminal, and XML may hold them.
std::string visible(std::string_view bytes);

/// The columns of a terminal that a text takes: two for a Chinese character, none for a mark on the letter before it.
std::size_t display_width(std::string_view text);

/// The text with spaces in front of it, or behind it, so that it takes `width` columns.
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

/// Python's str.isspace for one character.
bool is_space(char32_t code_point);

/// A mark of byte order or direction, a soft hyphen, a place for a line break. (Joiners are none: they shape letters.)
bool is_invisible(char32_t code_point);

/// The small letter of a capital, in any alphabet; anything else stays. (Where the C library has no Unicode, a to z.)
char32_t lower(char32_t code_point);

/// The text without the white space at its two ends: str.strip().
std::u32string_view strip(std::u32string_view text);

}  // namespace microgpt
