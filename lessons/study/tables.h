// The tables of the study.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "results.h"

namespace microgpt {

/// "0.9012 ± 0.0034", or a dash for what one head alone does not have.
inline std::string with_margin(Mean number, int digits) {
  if (std::isnan(number.mean)) return "-";
  return fmt::format("{:.{}f} ± {:.{}f}", number.mean, digits, number.margin, digits);
}

/// "140 ± 13", "never", or "140, never with 2".
inline std::string steps_text(const Seeds& runs, double target) {
  std::vector<double> steps;
  for (const Run& run : runs) {
    if (const auto reached = run.steps_to(target)) steps.push_back(static_cast<double>(*reached));
  }
  if (steps.empty()) return "never";
  if (steps.size() == runs.size()) return with_margin(mean_of(steps), 0);
  return fmt::format("{:.0f}, never with {}", estimate(steps).mean, runs.size() - steps.size());
}

inline double loss(const Run& run) { return run.loss; }
inline double accuracy(const Run& run) { return run.accuracy; }
inline double mean_entropy(const Run& run) { return estimate(run.entropies).mean; }
inline double fresh_entropy(const Run& run) { return run.fresh_entropy; }
inline double entropy_spread(const Run& run) { return run.heads.entropy_spread; }
inline double distance(const Run& run) { return run.heads.distance; }
inline double fresh_distance(const Run& run) { return run.fresh.distance; }
inline double learnt_distance(const Run& run) { return run.heads.distance - run.fresh.distance; }

/// "0.001  |     4 x 64   "
inline std::string row_label(std::size_t r, std::size_t h) {
  return fmt::format("{:<6} | {:5} x {:<4}", learning_rates[r], head_counts[h], d_model / head_counts[h]);
}

inline void print_learning(const Result& result) {
  const Subject& subject = result.subject;
  fmt::print("\n{}: {} parameters, {} steps, then {} documents not seen{}\n", subject.name,
             num_parameters(shape(subject, 1)), subject.num_steps, subject.held_out.size(),
             subject.floor ? fmt::format("; a perfect model has a loss of {:.4f}", *subject.floor) : "");
  fmt::print("rate   | heads x size | steps to loss {:.2f} | held-out loss   | accuracy{}\n", subject.target,
             Lesson::timed() ? "      | ms a step" : "");
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      const Seeds& runs = result.runs[r][h];
      const auto times = by_seed(runs, [](const Run& run) { return run.milliseconds; });
      fmt::print("{} | {:>18} | {} | {}{}\n", row_label(r, h), steps_text(runs, subject.target),
                 with_margin(mean_of(runs, loss), 4), with_margin(mean_of(runs, accuracy), 3),
                 Lesson::timed() ? fmt::format(" | {:.1f}", *std::min_element(times.begin(), times.end())) : "");
    }
  }
}

inline void print_heads(const Result& result) {
  fmt::print("\n{}:\nrate   | heads x size | mean entropy  | before        | spread        | distance      | before\n",
             result.subject.name);
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      const Seeds& runs = result.runs[r][h];
      fmt::print("{} | {} | {} | {:>13} | {:>13} | {}\n", row_label(r, h), with_margin(mean_of(runs, mean_entropy), 3),
                 with_margin(mean_of(runs, fresh_entropy), 3), with_margin(mean_of(runs, entropy_spread), 3),
                 with_margin(mean_of(runs, distance), 3), with_margin(mean_of(runs, fresh_distance), 3));
    }
  }
}

inline std::string in_words(Mean difference) {
  return fmt::format("{} by {:.4f} ± {:.4f}, {}", difference.mean > 0 ? "higher" : "lower", std::abs(difference.mean),
                     difference.margin,
                     std::abs(difference.mean) > difference.margin ? "more than noise" : "which may be noise");
}

/// Do sixteen heads differ from each other more than two do?
inline void print_specialisation(const Result& result) {
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    auto ask = [&](const char* what, const Figure& figure) {
      fmt::print("{}, rate {}: {} {}\n", result.subject.name, learning_rates[r], what,
                 in_words(difference(result.runs[r].back(), result.runs[r][1], figure)));
    };
    ask("spread of entropies", entropy_spread);
    ask("distance", distance);
    ask("distance added by training", learnt_distance);
  }
}

/// The entropy of every head: of the lowest, of the next and so on, each the mean over seeds.
inline void print_entropies(const Result& result) {
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      std::string line;
      for (std::size_t i = 0; i < head_counts[h]; i++) {
        line += fmt::format(" {:.2f}", mean_of(result.runs[r][h], [&](const Run& run) {
                                         std::vector<double> sorted = run.entropies;
                                         std::sort(sorted.begin(), sorted.end());
                                         return sorted[i];
                                       }).mean);
      }
      fmt::print("{:13} {:6} {:>8}:{}\n", result.subject.name, learning_rates[r], heads_text(head_counts[h]), line);
    }
  }
}

}  // namespace microgpt
