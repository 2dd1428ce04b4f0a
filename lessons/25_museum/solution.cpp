const std::vector<Token> document{4, 0, 1, 2, 0, 3, 4};
const std::vector<Token> other{4, 3, 3, 1, 4};

/// The model's answer after it was last asked about `other`, whatever it remembers of that.
std::vector<std::vector<double>> answer(Suspect& suspect, const std::vector<Token>& tokens) {
  suspect.probabilities(other);
  return suspect.probabilities(tokens);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i++) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

bool sees_the_future(Suspect& suspect) {
  std::vector<Token> changed = document;
  changed.back() = 1;
  const auto before = answer(suspect, document);
  const auto after = answer(suspect, changed);
  for (std::size_t t = 0; t + 1 < document.size(); t++) {
    if (largest_difference(before[t], after[t]) > 1e-9) return true;
  }
  return false;
}

bool remembers_other_documents(Suspect& suspect) {
  const auto before = answer(suspect, document);
  suspect.probabilities(document);
  const auto after = suspect.probabilities(document);
  return largest_difference(before.back(), after.back()) > 1e-9;
}

bool is_blind_to_order(Suspect& suspect) {
  std::vector<Token> swapped = document;
  std::swap(swapped[1], swapped[2]);
  return largest_difference(answer(suspect, document).back(), answer(suspect, swapped).back()) < 1e-9;
}

bool has_a_wrong_gradient(Suspect& suspect) {
  for (const std::vector<Token>& tokens : {other, document}) {
    suspect.loss(tokens);  // whatever is remembered, it is the same at every nudge
    const std::vector<double> gradient = suspect.gradient(tokens);
    for (std::size_t i = 0; i < gradient.size(); i++) {
      double& parameter = suspect.parameters()[i];
      const double kept = parameter;
      parameter = kept + 1e-5;
      const double above = suspect.loss(tokens);
      parameter = kept - 1e-5;
      const double below = suspect.loss(tokens);
      parameter = kept;
      if (std::abs((above - below) / 2e-5 - gradient[i]) > 1e-6) return true;
    }
  }
  return false;
}

bool reports_another_loss(Suspect& suspect) {
  const std::vector<Token> inputs(document.begin(), document.end() - 1);
  suspect.loss(document);
  const double reported = suspect.loss(document);  // both times after this same document
  suspect.loss(document);
  const auto probabilities = suspect.probabilities(inputs);
  double total = 0;
  for (std::size_t t = 0; t < inputs.size(); t++) total -= std::log(probabilities[t][document[t + 1]]);
  return std::abs(total / static_cast<double>(inputs.size()) - reported) > 1e-9;
}
