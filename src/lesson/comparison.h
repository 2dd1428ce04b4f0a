// Forms of a model side by side: each is trained on the same names with the same seeds, and judged by the same names,
// which none of them has seen. It ends with what can be said of their difference, and what cannot.
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

/// A form to be compared.
struct Candidate {
  std::string label;
  Config config;            // its vocab_size does not matter: it is that of the names
  bool sees_ahead = false;  // trains without its mask, as if that had been lost; it is judged with it
};

/// What became of it. A loss is the mean over all predictions, in nats.
struct Outcome {
  static constexpr std::size_t num_seeds = 3;

  std::string label;
  std::size_t parameters = 0;
  std::size_t cache_bytes = 0;               // what a model that generates keeps of a token, in float
  std::array<double, num_seeds> training{};  // mean of the last hundred steps
  std::array<double, num_seeds> held_out{};  // of the names not seen
  double names_per_second = 0;               // in training, in double on one thread
};

/// How far the held-out loss of one form is above that of another, and how far off that may be.
struct Difference {
  double mean;
  double margin;

  bool is_clear() const { return mean > margin || -mean > margin; }
};

/// Compares seed by seed, since a seed does in part the same to both: it brings the same order of the names, and the
/// same first weights as far as their shapes are the same. The margin is 4.30 standard errors of the mean of the three
/// differences, the 97.5th percentile of Student's t with two degrees of freedom; the spread of three numbers is small
/// by chance too often for two standard errors to be enough. Still, one in twenty equal forms will look clearly
/// different.
Difference difference(const Outcome& a, const Outcome& b);

/// As much training as a lesson has time for.
inline const TrainConfig comparison_budget{.num_steps = 1000, .batch_size = 16};

struct Comparison {
  TrainConfig budget;
  std::size_t num_held_out = 0;
  std::vector<Outcome> outcomes;

  /// The outcomes, and how each differs from the first; with TIMES=1 also how fast they were.
  void print() const;
};

/// Trains every candidate with the seeds 1, 2, 3, in double. Throws Error if training diverges, and for fewer than ten
/// distinct documents.
Comparison compare(std::span<const Document> documents, const Tokenizer& tokenizer,
                   const std::vector<Candidate>& candidates, const TrainConfig& budget = comparison_budget);

}  // namespace microgpt
