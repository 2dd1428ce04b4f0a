// Hint 1: In a window, all steps are equally long. If you may choose six lengths of steps, and walk each of them at
// most once, which six make up every distance from 0 to 63? Write 63 and 40 in binary.
//
// Hint 2: Position t sees itself, and what is 1, 2, 4, 8, ... positions before it. std::popcount(n) is 1 if n is a
// power of two.

bool sees(std::size_t t, std::size_t s) {
  return s <= t && std::popcount(t - s) <= 1;  // 0, or a power of two
}
