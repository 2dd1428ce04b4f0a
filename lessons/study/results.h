// What the study trains, and what it notes of each model.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"
#include "heads/heads.h"
#include "train/evaluation.h"

namespace microgpt {

inline constexpr std::array<std::size_t, 5> head_counts{1, 2, 4, 8, 16};
inline constexpr std::array<double, 3> learning_rates{0.0003, 0.001, 0.003};
inline constexpr std::size_t num_seeds = 5;
inline constexpr std::size_t d_model = 256;
inline constexpr std::size_t batch_size = 32;
inline constexpr std::size_t steps_between = 20;  // evaluations of a model in training

inline std::string heads_text(std::size_t heads) { return std::to_string(heads) + (heads == 1 ? " head" : " heads"); }

/// What models learn, and how long.
struct Subject {
  std::string name;
  std::vector<Document> training;
  std::vector<Document> held_out;
  Tokenizer tokenizer;
  std::size_t num_steps;
  double target;                   // the table says when a model reaches this loss
  std::optional<double> floor;     // the loss of a perfect model, where it is known
  std::vector<double> loss_ticks;  // of the picture
};

/// A model that learns this.
inline Config shape(const Subject& subject, std::size_t heads) {
  return {.vocab_size = subject.tokenizer.vocab_size(), .n_layer = 1, .n_embd = d_model, .n_head = heads};
}

/// A model trained with one seed. Everything is of documents that it was not trained on.
struct Run {
  std::vector<double> curve;  // loss after every steps_between steps, on a part of the documents
  double loss = 0;
  double accuracy = 0;
  std::vector<double> entropies;  // of each head
  Specialisation heads{};         // of all heads together
  double fresh_entropy = 0;       // the mean of the heads' entropies before the first step
  Specialisation fresh{};         // and of all heads together
  double milliseconds = 0;        // of a step

  /// The first step whose loss was at most `target`.
  std::optional<std::size_t> steps_to(double target) const {
    for (std::size_t i = 0; i < curve.size(); i++) {
      if (curve[i] <= target) return (i + 1) * steps_between;
    }
    return {};
  }
};

using Seeds = std::array<Run, num_seeds>;

struct Result {
  Subject subject;
  std::array<std::array<Seeds, head_counts.size()>, learning_rates.size()> runs;  // [learning rate][number of heads]
};

/// The mean over seeds of a figure, and its margin of error: 2.78 standard errors, the 97.5th percentile of Student's t
/// with four degrees of freedom.
struct Mean {
  double mean;
  double margin;
};

inline Mean mean_of(const std::vector<double>& numbers) {
  static_assert(num_seeds == 5, "with more seeds, Student's t has more degrees of freedom");
  const Estimate all = estimate(numbers);
  return {all.mean, 2.776445 * all.standard_error};
}

using Figure = std::function<double(const Run&)>;

inline std::vector<double> by_seed(const Seeds& runs, const Figure& figure) {
  std::vector<double> figures;
  for (const Run& run : runs) figures.push_back(figure(run));
  return figures;
}

inline Mean mean_of(const Seeds& runs, const Figure& figure) { return mean_of(by_seed(runs, figure)); }

/// a - b, seed by seed: models of a seed were trained on the same documents in the same order.
inline Mean difference(const Seeds& a, const Seeds& b, const Figure& figure) {
  std::vector<double> differences = by_seed(a, figure);
  for (std::size_t i = 0; i < num_seeds; i++) differences[i] -= figure(b[i]);
  return mean_of(differences);
}

}  // namespace microgpt
