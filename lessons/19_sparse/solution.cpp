// The solved functions of exercise.cpp.

bool sees(std::size_t t, std::size_t s) {
  return s <= t && std::popcount(t - s) <= 1;  // 0, or a power of two
}

std::vector<std::size_t> still_needed(const Pattern& pattern, std::size_t t, std::size_t T) {
  std::vector<std::size_t> keys;
  for (std::size_t s = 0; s <= t; s++) {
    bool needed = false;
    for (std::size_t later = t + 1; later < T; later++) needed = needed || pattern(later, s);
    if (needed) keys.push_back(s);
  }
  return keys;
}
