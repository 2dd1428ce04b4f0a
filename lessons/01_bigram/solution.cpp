// The solved functions of exercise.cpp. One more for each of V tokens is an even prior with a strength of V.

void count(Trigram& model, std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    model.at(tokens[i == 0 ? 0 : i - 1], tokens[i], tokens[i + 1]) += 1;
  }
}

std::vector<double> probabilities(const Trigram& model, Token a, Token b, std::span<const double> prior,
                                  double strength) {
  std::vector<double> p(model.vocab_size);
  double total = strength;
  for (Token next = 0; next < p.size(); next++) total += model.at(a, b, next);
  for (Token next = 0; next < p.size(); next++) p[next] = (model.at(a, b, next) + strength * prior[next]) / total;
  return p;
}
