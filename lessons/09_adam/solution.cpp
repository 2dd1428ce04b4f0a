void momentum_update(Parameters& parameters, std::vector<double>& velocity, double learning_rate, double mu) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    velocity[i] = mu * velocity[i] + parameters.grad()[i];
    parameters.data()[i] -= learning_rate * velocity[i];
    parameters.grad()[i] = 0;
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
