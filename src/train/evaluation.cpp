#include "train/evaluation.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace microgpt {

std::vector<double> document_losses(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer) {
  std::vector<double> losses;
  for (const Document& document : documents) {
    const Scope scope;
    losses.push_back(loss(tokenizer.encode_document(document)).data());
  }
  return losses;
}

Estimate estimate(std::span<const double> numbers) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(numbers.size());
  double total = 0;
  for (double x : numbers) total += x;
  const double mean = numbers.empty() ? unknown : total / n;
  double squares = 0;
  for (double x : numbers) squares += (x - mean) * (x - mean);
  // An infinite mean has no deviation either. (inf - inf is a NaN whose sign is printed, and depends on the machine.)
  const bool known = numbers.size() >= 2 && std::isfinite(mean);
  const double stddev = known ? std::sqrt(squares / (n - 1)) : unknown;
  return {mean, stddev, stddev / std::sqrt(n)};
}

Estimate mean_loss(const Loss& loss, std::span<const Document> documents, const Tokenizer& tokenizer) {
  return estimate(document_losses(loss, documents, tokenizer));
}

std::size_t count_listed(std::span<const std::vector<Token>> names, std::span<const Document> documents,
                         const Tokenizer& tokenizer) {
  std::map<std::u32string, std::size_t, std::less<>> asked;  // how often; the documents may be millions
  for (const std::vector<Token>& name : names) asked[tokenizer.document_of(name)]++;
  std::size_t listed = 0;
  for (const Document& document : documents) {
    const auto found = asked.find(document);
    if (found == asked.end()) continue;
    listed += found->second;
    asked.erase(found);
  }
  return listed;
}

}  // namespace microgpt
