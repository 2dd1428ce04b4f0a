#include "tensor/batch.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace microgpt {

void Batch::clear() {
  tokens_.clear();
  targets_.clear();
  positions_.clear();
  starts_.assign(1, 0);
}

void Batch::add(std::span<const Token> document) {
  if (document.size() < 2) throw std::invalid_argument("a document of a batch has at least two tokens");
  const std::size_t n = std::min(block_size_, document.size() - 1);
  tokens_.insert(tokens_.end(), document.begin(), document.begin() + n);
  targets_.insert(targets_.end(), document.begin() + 1, document.begin() + 1 + n);
  positions_.resize(tokens_.size());
  std::iota(positions_.end() - n, positions_.end(), 0);
  starts_.push_back(tokens_.size());
}

Share Batch::rows(Share documents) const {
  const std::size_t first = starts_[documents.first];
  return {first, starts_[documents.first + documents.n] - first};
}

Share Batch::documents(std::size_t i, std::size_t shares) const {
  // The document whose start is nearest to row `at` / `shares` of all rows.
  auto cut = [&](std::size_t at) {
    const std::size_t row = num_positions() * at / shares;
    const auto after = std::lower_bound(starts_.begin(), starts_.end(), row);
    const bool before_is_nearer = after != starts_.begin() && row - *(after - 1) < *after - row;
    return static_cast<std::size_t>(after - starts_.begin()) - (before_is_nearer ? 1 : 0);
  };
  const std::size_t first = cut(i);
  return {first, cut(i + 1) - first};
}

std::vector<double> Batch::weights(LossMean mean) const {
  std::vector<double> weights;
  weights.reserve(num_positions());
  for (std::size_t i = 0; i < num_documents(); i++) {
    const std::size_t n = document(i).n;
    const double each = mean == LossMean::tokens ? 1.0 / static_cast<double>(num_positions())
                                                 : 1.0 / static_cast<double>(num_documents() * n);
    weights.insert(weights.end(), n, each);
  }
  return weights;
}

}  // namespace microgpt
