// Compares forms of a model: each is trained on the same names with the same seeds, and evaluated on the same held-out
// names. The result says which differences are more than noise.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"

namespace microgpt {

struct Candidate {
  std::string label;
  Config config;  // its vocab_size is ignored; the names decide it
};

/// Every form is trained with the seeds 1, 2 and 3.
inline constexpr std::size_t num_seeds = 3;

using PerSeed = std::array<double, num_seeds>;

/// A form's results. Every loss is the mean over all predictions, in nats.
struct Outcome {
  std::string label;
  std::size_t parameters = 0;
  double cache_bytes = 0;       // of the KV cache, per token, in float
  PerSeed training{};           // mean of the last hundred steps
  PerSeed held_out{};           // on the held-out names
  double names_per_second = 0;  // in training, in double on one thread
};

/// The mean difference of two forms' losses, and its margin of error.
struct Difference {
  double mean;
  double margin;

  bool is_clear() const { return mean > margin || -mean > margin; }
};

/// Compares seed by seed, because a seed has partly the same effect on both forms: the same order of names, and the
/// same initial weights where shapes agree. The margin is 4.30 standard errors of the mean of the three differences
/// (the 97.5th percentile of Student's t with two degrees of freedom). Two standard errors are not enough: three
/// numbers are often close together by chance. Even so, one in twenty equal pairs will look clearly different.
Difference difference(const PerSeed& a, const PerSeed& b);

/// The amount of training that a lesson has time for.
inline const TrainConfig comparison_budget{.num_steps = 1000, .batch_size = 16};

struct Comparison {
  TrainConfig budget;
  std::size_t num_held_out = 0;
  std::vector<Outcome> outcomes;

  /// Prints the outcomes, and how each differs from the first; with TIMES=1 also their speed.
  void print() const;
};

/// Trains every candidate with every seed, in double. Throws Error if training diverges or there are fewer than
/// ten distinct documents.
Comparison compare(std::span<const Document> documents, const Tokenizer& tokenizer,
                   const std::vector<Candidate>& candidates, const TrainConfig& budget = comparison_budget);

}  // namespace microgpt
