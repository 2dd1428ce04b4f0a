void sign_update(const List& params, std::vector<double>& m, double learning_rate, double beta1, double beta2) {
  for (std::size_t i = 0; i < params.size(); i++) {
    Node& p = *params[i].node;
    const double mix = beta1 * m[i] + (1 - beta1) * p.grad;
    if (mix != 0) p.data -= std::copysign(learning_rate, mix);
    m[i] = beta2 * m[i] + (1 - beta2) * p.grad;
    p.grad = 0;
  }
}

std::vector<double> top_k(const std::vector<double>& probabilities, std::size_t k) {
  std::vector<double> sorted = probabilities;
  std::sort(sorted.begin(), sorted.end(), std::greater());
  const double least = sorted[std::min(k, sorted.size()) - 1];
  const double total =
      std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(std::min(k, sorted.size())), 0.0);
  std::vector<double> kept;
  for (double p : probabilities) kept.push_back(p < least ? 0 : p / total);
  return kept;
}
