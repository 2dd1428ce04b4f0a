// The solved functions of exercise.cpp.

/// Counts a document: BOS, its tokens, BOS. Its first token comes after nothing: take BOS, BOS for the two before it.
void count(Trigram& model, std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    model.at(tokens[i == 0 ? 0 : i - 1], tokens[i], tokens[i + 1]) += 1;
  }
}

/// p(next | a, b), (V): every triple counts one more than it was seen.
std::vector<double> probabilities(const Trigram& model, Token a, Token b) {
  std::vector<double> p(model.vocab_size);
  double total = 0;
  for (Token next = 0; next < p.size(); next++) total += p[next] = model.at(a, b, next) + 1;
  for (double& p_next : p) p_next /= total;
  return p;
}
