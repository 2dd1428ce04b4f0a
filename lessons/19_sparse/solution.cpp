bool sees(std::size_t t, std::size_t s) {
  return s <= t && std::popcount(t - s) <= 1;  // 0, or a power of two
}
