std::vector<double> merge_by_formula(const std::vector<double>& x, std::size_t B, std::size_t H, std::size_t N,
                                     std::size_t D) {
  std::vector<double> y(x.size());
  for (std::size_t b = 0; b < B; b++) {
    for (std::size_t h = 0; h < H; h++) {
      for (std::size_t n = 0; n < N; n++) {
        for (std::size_t j = 0; j < D; j++) {
          y[(b * N + n) * H * D + h * D + j] = x[((b * H + h) * N + n) * D + j];
        }
      }
    }
  }
  return y;
}

Array<double> causal_padding_mask(const std::vector<std::size_t>& lengths, std::size_t N) {
  Array<double> mask{{lengths.size(), 1, N, N}, {}};
  for (const std::size_t length : lengths) {
    for (std::size_t t = 0; t < N; t++) {
      for (std::size_t s = 0; s < N; s++) mask.numbers.push_back(s <= t && s < length ? 1 : 0);
    }
  }
  return mask;
}
