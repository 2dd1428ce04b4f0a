// One head at one position, in numbers: from its query to what it adds to the residual stream.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heads/probe.h"

namespace microgpt {

/// A position that the head looks at.
struct LookedAt {
  std::size_t position;
  std::vector<double> key;       // (K)
  std::vector<double> products;  // (K) query times key, number by number
  double sum;                    // of the products
  double score;                  // sum / sqrt(K)
  double weight;                 // softmax of the scores
  std::vector<double> value;     // (D)
};

struct HeadRow {
  std::vector<double> query;    // (K), rotated if the model rotates
  std::vector<LookedAt> seen;   // the positions that the mask lets it see, in order
  std::vector<double> output;   // (D) the values mixed
  std::vector<double> written;  // (C) what reaches the residual stream through the head's columns of attn_wo

  /// The n positions with the largest weights, the largest first; of equal ones the earlier.
  std::vector<std::size_t> strongest(std::size_t n) const;  // indices of `seen`
};

/// The row of position t; `tokens` are BOS and what follows, at least t + 1 of them and at most block_size. Throws
/// std::out_of_range if there is no such head or position.
HeadRow head_row(const Config& config, const Parameters& parameters, std::span<const Token> tokens, HeadId id,
                 std::size_t t);

}  // namespace microgpt
