// How fast training is, and how much memory it takes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

/// What one shape costs, one document a step, one thread.
struct Measurement {
  std::size_t n_embd = 0;
  std::size_t num_params = 0;
  double microseconds_per_step = 0;  // the median over `rounds` rounds
  double fastest_round = 0;          // µs per step of the best round
  double names_per_second = 0;
  double nodes_per_step = 0;
  double peak_mebibytes = 0;  // most memory the process has had resident so far
};

/// Trains the gist preset at width n_embd (4 heads, or 1 where 4 does not divide it) in `rounds` rounds of `steps`
/// steps.
Measurement measure_training(std::span<const Document> documents, std::size_t n_embd, std::size_t steps,
                             std::size_t rounds);

}  // namespace microgpt
