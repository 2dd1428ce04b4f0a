void add_to_embedding(View<float> dw, View<const float> dx, const std::vector<Token>& tokens, std::size_t s,
                      std::size_t threads) {
  const Share own = share(dw.rows, s, threads);
  for (std::size_t n = 0; n < tokens.size(); n++) {
    if (tokens[n] < own.first || tokens[n] >= own.first + own.n) continue;
    for (std::size_t c = 0; c < dw.cols; c++) dw.row(tokens[n])[c] += dx.row(n)[c];
  }
}

float steady_sum(const std::vector<float>& numbers, std::size_t threads) {
  std::vector<float> sums((numbers.size() + 63) / 64);
  parallel(threads, [&](std::size_t s) {
    const Share blocks = share(sums.size(), s, threads);
    const std::size_t end = std::min(numbers.size(), (blocks.first + blocks.n) * 64);
    for (std::size_t i = blocks.first * 64; i < end; i++) sums[i / 64] += numbers[i];
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}
