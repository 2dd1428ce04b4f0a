#include "page/page.h"

namespace microgpt {
namespace {

constexpr const char* skeleton =
#include "page/inspector.html.inc"
    ;

constexpr const char* words =
#include "page/words.md.inc"
    ;

constexpr const char* style =
#include "page/style.css.inc"
    ;

constexpr const char* script =
#include "page/script.js.inc"
    ;

/// The only "<" that could end a script of data, or begin a comment in it, is written as JSON can write it, too.
std::string harmless(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

void fill(std::string& page, const std::string& place, const std::string& text) {
  page.replace(page.find(place), place.size(), text);
}

}  // namespace

std::string inspector_page(const std::string& json) {
  std::string page = skeleton;
  fill(page, "/*STYLE*/", style);
  fill(page, "/*SCRIPT*/", script);
  fill(page, "/*WORDS*/", words);
  fill(page, "/*DATA*/", harmless(json));  // last, since it may hold anything
  return page;
}

}  // namespace microgpt
