#include "base/bigram.h"

#include <cmath>
#include <numeric>

namespace microgpt {

std::vector<double> Bigram::probabilities(Token token) const {
  const std::span<const std::uint64_t> row = counts(token);
  const auto total = static_cast<double>(std::accumulate(row.begin(), row.end(), std::uint64_t{vocab_size_}));
  std::vector<double> p(vocab_size_);
  for (Token next = 0; next < vocab_size_; next++) p[next] = static_cast<double>(row[next] + 1) / total;
  return p;
}

double Bigram::loss(std::span<const Token> tokens) const {
  const std::size_t n = tokens.size() - 1;
  double total = 0;
  for (std::size_t i = 0; i < n; i++) total += -std::log(probabilities(tokens[i])[tokens[i + 1]]);
  return 1.0 / static_cast<double>(n) * total;
}

void Bigram::count(std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) counts_[tokens[i] * vocab_size_ + tokens[i + 1]]++;
}

}  // namespace microgpt
