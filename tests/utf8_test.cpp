#include "base/utf8.h"

#include <doctest/doctest.h>

#include <string>

namespace microgpt {
namespace {

TEST_CASE("every code point survives being written and read") {
  std::size_t wrong = 0;
  for (char32_t c = 0; c <= 0x10ffff; c++) {
    if (c == 0xd800) c = 0xe000;  // surrogates are no characters
    if (decode_utf8(encode_utf8(c)) != std::u32string(1, c)) wrong++;
  }
  CHECK(wrong == 0);
}

TEST_CASE("code points take one to four bytes") {
  CHECK(encode_utf8(U'a') == "a");
  CHECK(encode_utf8(U'\u00e9') == "\xc3\xa9");
  CHECK(encode_utf8(U'\u20ac') == "\xe2\x82\xac");
  CHECK(encode_utf8(U'\U0001f600') == "\xf0\x9f\x98\x80");
  CHECK(encode_utf8(U"a\u00e9") == "a\xc3\xa9");
}

TEST_CASE("bytes that are not UTF-8 are refused") {
  const std::string invalid[]{
      "\xc3",              // ends in the middle of a character
      "\xe2\x82",          // the same
      "\xf0\x9f\x98",      // the same
      "\xc3q",             // a letter where the second byte should be
      "\xa9",              // a second byte without a first
      "\xc0\xaf",          // '/' in two bytes: overlong
      "\xc1\xbf",          // overlong
      "\xe0\x9f\xbf",      // overlong
      "\xf0\x8f\xbf\xbf",  // overlong
      "\xed\xa0\x80",      // U+D800, the first surrogate
      "\xed\xbf\xbf",      // U+DFFF, the last
      "\xf4\x90\x80\x80",  // U+110000, past the last code point
      "\xf5\x80\x80\x80",  // no character begins so
      "\xff",              // nor so
  };
  for (const std::string& bytes : invalid) CHECK_FALSE(decode_utf8("ab" + bytes).has_value());
}

TEST_CASE("white space is what Python's str.isspace says") {
  const std::u32string spaces =
      U"\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
      U"\u2028\u2029\u202f\u205f\u3000";
  std::u32string found;
  for (char32_t c = 0; c <= 0x10ffff; c++) {
    if (is_space(c)) found += c;
  }
  CHECK((found == spaces));
}

TEST_CASE("strip takes white space off both ends and leaves the middle") {
  CHECK((strip(U"\u3000\t a b\u00a0") == U"a b"));
  CHECK((strip(U" \u2003 ") == U""));
  CHECK((strip(U"\u200bx") == U"\u200bx"));  // a zero width space is none, as in Python
}

}  // namespace
}  // namespace microgpt
