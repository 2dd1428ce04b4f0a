// The whole of a small GPT in one picture. Each lesson marks in it what it adds.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "draw/svg.h"

namespace microgpt {

/// What a lesson changes: the boxes that have this name in the plain model, the size below them, and a new name.
struct Change {
  std::string box, size, name = box;
};

/// One position's way through the GPT, from a letter to the next, with the sizes of all lists. Changes are green, and
/// `note` says what they are for.
inline Svg model_picture(const std::string& title, const std::vector<Change>& changes = {},
                         const std::string& note = "") {
  constexpr double middle = 120, branch = 195, high = 34;
  Svg svg(830, note.empty() ? 270 : 296);
  svg.text(20, 26, title, "start", 16);
  const char *known = "#dbe9f6", *found = "#fde3c8", *plain = "#f7f7f7", *changed = "#bfe8c9";
  auto box = [&](double x, double y, double wide, std::string name, std::string size, const char* fill) {
    const auto change = std::find_if(changes.begin(), changes.end(), [&](const Change& c) { return c.box == name; });
    if (change != changes.end()) {
      name = change->name;
      size = change->size;
      fill = changed;
    }
    svg.rect(x, y - high / 2, wide, high, "#333333");
    svg.rect(x + 1, y - high / 2 + 1, wide - 2, high - 2, fill);
    svg.text(x + wide / 2, y + 4, name, "middle", 12, 0, "black");
    svg.text(x + wide / 2, y + high / 2 + 14, size, "middle", 11);
  };
  svg.line(20, middle, 810, middle, "#0072b2", 3);
  box(20, middle, 60, "letter", "1 of 27", plain);
  box(92, middle, 84, "wte + wpe", "16 numbers", known);
  box(188, middle, 50, "norm", "16", known);
  for (const auto& [leaves, rejoins] : {std::pair(250.0, 470.0), {486.0, 665.0}}) {  // attention, then the MLP
    svg.line(leaves, middle, leaves, branch, "#d55e00", 1.5);
    svg.line(leaves, branch, rejoins, branch, "#d55e00", 1.5);
    svg.line(rejoins, branch, rejoins, middle, "#d55e00", 1.5);
    svg.rect(rejoins - 10, middle - 10, 20, 20, "#d55e00");
    svg.text(rejoins, middle + 6, "+", "middle", 18, 0, "white");
  }
  box(256, branch, 40, "norm", "16", found);
  box(304, branch, 104, "attention", "q, k, v: 16", found);
  box(416, branch, 44, "W_O", "16", found);
  box(492, branch, 40, "norm", "16", found);
  box(538, branch, 36, "fc1", "64", found);
  box(580, branch, 36, "relu", "64", found);
  box(622, branch, 36, "fc2", "16", found);
  box(684, middle, 62, "lm_head", "27 scores", known);
  box(756, middle, 56, "softmax", "27", plain);
  svg.text(365, 250, "attention: looks at all positions so far", "middle", 12, 0, "#b04c00");
  svg.text(585, 250, "MLP: works on this position", "middle", 12, 0, "#b04c00");
  svg.text(465, 72, "the residual stream", "middle", 12, 0, "#0072b2");
  if (!note.empty()) {
    svg.rect(20, 272, 12, 12, changed);
    svg.text(40, 283, note, "start", 12, 0, "#1b6b33");
  }
  return svg;
}

}  // namespace microgpt
