// A batch: several documents for one step, one after the other. The rows of all matrices are positions. A document of n
// predictions takes exactly n rows, so no work is spent on padding.
//
//   emma, ava ->  tokens   . e m m a | . a v a        positions  0 1 2 3 4 | 0 1 2 3
//                 targets  e m m a . | a v a .        starts     0           5         9
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
  void clear();

  /// Adds a document, BOS ... BOS, of at least two tokens. Only its first block_size predictions count.
  void add(std::span<const Token> document);

  std::size_t num_documents() const { return starts_.size() - 1; }
  std::size_t num_positions() const { return tokens_.size(); }  // N

  std::span<const Token> tokens() const { return tokens_; }              // (N)
  std::span<const Token> targets() const { return targets_; }            // (N)
  std::span<const std::size_t> positions() const { return positions_; }  // (N) within the document

  /// The rows of a document.
  Share document(std::size_t i) const { return {starts_[i], starts_[i + 1] - starts_[i]}; }

  /// The rows of some documents.
  Share rows(Share documents) const;

  /// The documents of share i. All shares have about the same number of rows.
  Share documents(std::size_t i, std::size_t shares) const;

  /// The weight of each position's loss in the mean, (N). They sum to 1.
  std::vector<double> weights(LossMean mean) const;

 private:
  std::size_t block_size_;
  std::vector<Token> tokens_;
  std::vector<Token> targets_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> starts_{0};
};

}  // namespace microgpt
