#include "inspect/page.h"

namespace microgpt {
namespace {

constexpr const char* skeleton =
#include "inspect/page/page.html.inc"
    ;

constexpr const char* words =
#include "inspect/page/words.md.inc"
    ;

constexpr const char* style =
#include "inspect/page/style.css.inc"
    ;

// One script: each file uses only those before it, so the formatter must not sort them.
// clang-format off
constexpr const char* script =
#include "inspect/page/random.js.inc"
#include "inspect/page/tape.js.inc"
#include "inspect/page/model.js.inc"
#include "inspect/page/graph.js.inc"
#include "inspect/page/measures.js.inc"
#include "inspect/page/figures.js.inc"
#include "inspect/page/words.js.inc"
#include "inspect/page/view_read.js.inc"
#include "inspect/page/view_picture.js.inc"
#include "inspect/page/view_why.js.inc"
#include "inspect/page/view_gallery.js.inc"
#include "inspect/page/view_head.js.inc"
#include "inspect/page/view_whatif.js.inc"
#include "inspect/page/view_graph.js.inc"
#include "inspect/page/link.js.inc"
#include "inspect/page/app.js.inc"
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
