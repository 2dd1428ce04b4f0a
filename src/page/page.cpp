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

// One script: each file uses only those before it, so the formatter must not sort them.
// clang-format off
constexpr const char* script =
#include "page/random.js.inc"
#include "page/tape.js.inc"
#include "page/model.js.inc"
#include "page/graph.js.inc"
#include "page/measures.js.inc"
#include "page/figures.js.inc"
#include "page/words.js.inc"
#include "page/view_read.js.inc"
#include "page/view_picture.js.inc"
#include "page/view_why.js.inc"
#include "page/view_gallery.js.inc"
#include "page/view_head.js.inc"
#include "page/view_whatif.js.inc"
#include "page/view_graph.js.inc"
#include "page/link.js.inc"
#include "page/app.js.inc"
    ;
// clang-format on

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
