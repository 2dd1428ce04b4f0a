#include "base/bigram.h"

#include <cmath>

namespace microgpt {

std::vector<std::uint64_t> Bigram::counts(Token token) const {
  std::vector<std::uint64_t> counts(vocab_size());
  for (const auto& [next, times] : rows_[token].counts) counts[next] = times;
  return counts;
}

double Bigram::probability(Token token, Token next) const {
  const Row& row = rows_[token];
  const auto found = row.counts.find(next);
  const std::uint64_t times = found == row.counts.end() ? 0 : found->second;
  return static_cast<double>(times + 1) / static_cast<double>(row.total + vocab_size());
}

std::vector<double> Bigram::probabilities(Token token) const {
  std::vector<double> p(vocab_size());
  for (Token next = 0; next < vocab_size(); next++) p[next] = probability(token, next);
  return p;
}

double Bigram::loss(std::span<const Token> tokens) const {
  const std::size_t n = tokens.size() - 1;
  double total = 0;
  for (std::size_t i = 0; i < n; i++) total += -std::log(probability(tokens[i], tokens[i + 1]));
  return 1.0 / static_cast<double>(n) * total;
}

void Bigram::count(std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    rows_[tokens[i]].total++;
    rows_[tokens[i]].counts[tokens[i + 1]]++;
  }
}

}  // namespace microgpt
