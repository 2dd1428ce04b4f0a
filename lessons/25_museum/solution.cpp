// Hint 1: Ask twice, and change one thing in between. For the future: the last token. For the memory: what was asked
// before. For the gradient: what does lesson 02 compare it with? And a training takes it more than once.
//
// Hint 2: A model with a memory answers differently, whatever you change. Before each of the two questions ask it the
// same other one; then what it remembers is the same. Ask for the gradients of two documents, one after the other, and
// compare each with nudged(). Computed in another order, a sum differs in its last bits: allow 1e-9, for slopes 1e-6.

const std::vector<Token> document{4, 0, 1, 2, 0, 3, 4}, other{4, 3, 3, 1, 4};

/// What the model predicts after this token, if it was asked about another document before.
std::vector<double> prediction(Suspect& suspect, std::size_t t, const std::vector<Token>& tokens,
                               const std::vector<Token>& before) {
  suspect.probabilities(before);
  return suspect.probabilities(tokens)[t];
}

bool differ(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); i++) {
    if (std::abs(a[i] - b[i]) > tolerance) return true;
  }
  return false;
}

bool sees_the_future(Suspect& suspect) {
  std::vector<Token> changed = document;
  changed.back() = 1;
  return differ(prediction(suspect, 2, document, other), prediction(suspect, 2, changed, other), 1e-9);
}

bool remembers_other_documents(Suspect& suspect) {
  return differ(prediction(suspect, 2, document, other), prediction(suspect, 2, document, document), 1e-9);
}

bool has_a_wrong_gradient(Suspect& suspect) {
  for (const std::vector<Token>& tokens : {other, document}) {
    suspect.loss(tokens);
    const std::vector<double> gradient = suspect.gradient(tokens);
    if (differ(gradient, microgpt::nudged(suspect.parameters(), [&] { return suspect.loss(tokens); }), 1e-6))
      return true;
  }
  return false;
}
