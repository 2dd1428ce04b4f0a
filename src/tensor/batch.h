// A batch: several documents for one step, one after the other. The rows of all matrices are positions. A document of n
// predictions takes exactly n rows, so no work is spent on padding.
//
//   emma, ava ->  tokens   . e m m a | . a v a        positions  0 1 2 3 4 | 0 1 2 3
//                 targets  e m m a . | a v a .        starts     0           5         9
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/tokenizer.h"
#include "tensor/threads.h"

namespace microgpt {

/// The loss of a batch is a mean, but of what?
enum class LossMean : std::uint8_t {
  documents,  // of the documents' losses, each the mean over its predictions; with one document, as in the reference
  tokens,     // of all predictions, so a long document counts for more
};

class Batch {
 public:
  explicit Batch(std::size_t block_size) : block_size_(block_size) {}

  /// Removes all documents.
  void clear() {
    tokens_.clear();
    targets_.clear();
    positions_.clear();
    starts_.assign(1, 0);
  }

  /// Adds a document, BOS ... BOS, of at least two tokens. Only its first block_size predictions count.
  void add(std::span<const Token> document) {
    if (document.size() < 2) throw std::invalid_argument("a document of a batch has at least two tokens");
    const std::size_t n = std::min(block_size_, document.size() - 1);
    tokens_.insert(tokens_.end(), document.begin(), document.begin() + n);
    targets_.insert(targets_.end(), document.begin() + 1, document.begin() + 1 + n);
    positions_.resize(tokens_.size());
    std::iota(positions_.end() - n, positions_.end(), 0);
    starts_.push_back(tokens_.size());
  }

  std::size_t num_documents() const { return starts_.size() - 1; }
  std::size_t num_positions() const { return tokens_.size(); }  // N

  std::span<const Token> tokens() const { return tokens_; }              // (N)
  std::span<const Token> targets() const { return targets_; }            // (N)
  std::span<const std::size_t> positions() const { return positions_; }  // (N) within the document

  /// The rows of a document.
  Share document(std::size_t i) const { return {starts_[i], starts_[i + 1] - starts_[i]}; }

  /// The rows of some documents.
  Share rows(Share documents) const {
    const std::size_t first = starts_[documents.first];
    return {first, starts_[documents.first + documents.n] - first};
  }

  /// The documents of share i. All shares have about the same number of rows.
  Share documents(std::size_t i, std::size_t shares) const {
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

  /// The weight of each position's loss in the mean, (N). They sum to 1.
  std::vector<double> weights(LossMean mean) const {
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

 private:
  std::size_t block_size_;
  std::vector<Token> tokens_;
  std::vector<Token> targets_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> starts_{0};
};

}  // namespace microgpt
