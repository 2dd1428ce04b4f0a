// The solved functions of exercise.cpp.

Rows down(const Rows& wk, const Rows& wv) {
  Rows w = wk;
  w.insert(w.end(), wv.begin(), wv.end());
  return w;
}

/// Rows that pick, for each of H heads, the D numbers of its group, the first of which begin at `first`.
Rows pick(std::size_t H, std::size_t G, std::size_t D, std::size_t first) {
  Rows w(H * D, Numbers(2 * G * D));
  for (std::size_t h = 0; h < H; h++) {
    for (std::size_t i = 0; i < D; i++) w[h * D + i][first + h / (H / G) * D + i] = 1;
  }
  return w;
}

Rows up_to_keys(std::size_t H, std::size_t G, std::size_t D) { return pick(H, G, D, 0); }

Rows up_to_values(std::size_t H, std::size_t G, std::size_t D) { return pick(H, G, D, G * D); }
