// The tests of exercise 19: how many keys a position sees, and of how many positions it has heard after six layers.
#pragma once

#include <bitset>

#include "lesson/teach.h"

using namespace teach;

constexpr std::size_t T = 64;
using Pattern = bool (*)(std::size_t t, std::size_t s);

inline void test_keys() {
  for (std::size_t t = 0; t < T; t++) {
    const std::string position = "position " + std::to_string(t);
    double keys = 0;
    for (std::size_t s = 0; s < T; s++) {
      calling("sees(), 1 or 0: if " + position + " sees position " + std::to_string(s),
              s == t ? "A position sees itself." : "A position sees nothing that comes after it.");
      if (s >= t) should_be(double(sees(t, s)), {double(s == t)});
      keys += sees(t, s);
    }
    calling("sees(), the keys of " + position,
            "It may see itself, and one more for each binary digit of its number. All keys, or a long window, are too "
            "many.");
    should_be(std::max(keys, 1.0 + std::bit_width(t)), {1.0 + std::bit_width(t)});
  }
}

/// Who has heard of whom after so many layers, if each position knows only itself before the first.
inline std::vector<std::bitset<T>> heard(Pattern pattern, std::size_t layers) {
  std::vector<std::bitset<T>> now(T);
  for (std::size_t t = 0; t < T; t++) now[t].set(t);
  for (; layers > 0; layers--) {
    const auto before = now;
    for (std::size_t t = 0; t < T; t++) {
      for (std::size_t s = 0; s < T; s++) now[t] |= pattern(t, s) ? before[s] : 0;
    }
  }
  return now;
}

inline void test_layers() {
  for (std::size_t t = 0; t < T; t++) {
    calling("The number of positions that position " + std::to_string(t) + " has heard of after 6 layers",
            "In each layer a letter walks one step, from a position to one that sees it. How would you walk 63 "
            "positions in six steps, and 40 in two?");
    if (t == 7) usual({7}, "This is a window of 2. Each layer walks one position, so six layers walk six.");
    should_be(double(heard(sees, 6)[t].count()), {double(t + 1)});
  }
}

inline void test_report() {
  std::printf("of 64 positions   the last sees   it has heard of all after   after 32 a cache still needs\n");
  auto row = [](const char* name, Pattern pattern) {
    std::size_t keys = 0, layers = 0, needed = 0;
    for (std::size_t s = 0; s < T; s++) keys += pattern(T - 1, s);
    while (!heard(pattern, layers)[T - 1].all()) layers++;
    for (std::size_t s = 0, t; s < T / 2; s++) {
      for (t = T / 2; t < T && !pattern(t, s);) t++;
      needed += t < T;
    }
    std::printf("%-11s %14zu keys %18zu layers %22zu keys\n", name, keys, layers, needed);
  };
  row("window of 3", [](std::size_t t, std::size_t s) { return s <= t && t - s < 3; });
  row("yours", sees);
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_keys, test_layers, test_report}); }
