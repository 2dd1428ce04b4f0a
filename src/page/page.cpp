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

void fill(std::string& page, const std::string& place, const std::string& text) {
  page.replace(page.find(place), place.size(), text);
}

}  // namespace

std::string inspector_page(const std::string& json) {
  std::string page = skeleton;
  fill(page, "/*STYLE*/", style);
  fill(page, "/*SCRIPT*/", script);
  fill(page, "/*WORDS*/", words);
  std::string data;  // a "<" could end a script of data, or begin a comment in it, so it is written in JSON's other way
  for (const char c : json) data += c == '<' ? "\\u003c" : std::string(1, c);
  fill(page, "/*DATA*/", data);  // last, since it may hold anything
  return page;
}

}  // namespace microgpt
