#include "lesson/comparison.h"

#include <chrono>

#include "base/attention_shape.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "train/evaluation.h"
#include "train/held_out.h"

namespace microgpt {
namespace {

/// The 97.5th percentile of Student's t with two degrees of freedom.
constexpr double t = 4.302653;
static_assert(num_seeds == 3, "with more seeds, it has more degrees of freedom");

}  // namespace

Difference difference(const PerSeed& a, const PerSeed& b) {
  PerSeed differences{};
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus());
  const Estimate all = estimate(differences);
  return {all.mean, t * all.standard_error};
}

void Comparison::print() const {
  fmt::print("{} seeds, {} steps of {} names each; then {} names not seen. Cache: bytes a token, in float\n", num_seeds,
             budget.num_steps, budget.batch_size, num_held_out);
  std::size_t width = 18;
  for (const Outcome& outcome : outcomes) width = std::max(width, outcome.label.size());
  fmt::print("{:{}} | parameters | cache | training loss | held-out loss | spread of seeds{}\n", "form", width,
             Lesson::timed() ? " | names/s" : "");
  for (const Outcome& outcome : outcomes) {
    const Estimate held_out = estimate(outcome.held_out);
    fmt::print("{:{}} | {:10} | {:5} | {:13.4f} | {:13.4f} | {:15.4f}{}\n", outcome.label, width, outcome.parameters,
               outcome.cache_bytes, estimate(outcome.training).mean, held_out.mean, held_out.stddev,
               Lesson::timed() ? fmt::format(" | {:7.0f}", outcome.names_per_second) : "");
  }
  fmt::print("held-out loss, with a margin of {:.2f} standard errors (Student's t):\n", t);
  for (const Outcome& outcome : std::span(outcomes).subspan(1)) {
    const Difference from_first = difference(outcome.held_out, outcomes[0].held_out);
    fmt::print("{}: {} than {} by {:.4f} +- {:.4f}, {}\n", outcome.label, from_first.mean < 0 ? "lower" : "higher",
               outcomes[0].label, std::abs(from_first.mean), from_first.margin,
               from_first.is_clear() ? "more than noise" : "which may be noise");
  }
}

Comparison compare(std::span<const Document> documents, const Tokenizer& tokenizer,
                   const std::vector<Candidate>& candidates, const TrainConfig& budget) {
  const Split names = split({documents.begin(), documents.end()});
  Comparison comparison{budget, names.held_out.size(), {}};
  for (Candidate candidate : candidates) {
    candidate.config.vocab_size = tokenizer.vocab_size();
    validate(candidate.config);
    Outcome& outcome = comparison.outcomes.emplace_back();
    outcome.label = candidate.label;
    outcome.parameters = num_parameters(candidate.config);
    outcome.cache_bytes = cache_bytes(attention_shape(candidate.config), candidate.config.n_layer, 1, sizeof(float));
    for (std::size_t i = 0; i < num_seeds; i++) {
      using Clock = std::chrono::steady_clock;
      std::vector<double> losses;
      const Clock::time_point start = Clock::now();
      BatchTrainer<double> trainer = trained({candidate.config, budget}, names.training, tokenizer, 1 + i,
                                             [&](auto&, double loss) { losses.push_back(loss); });
      const std::chrono::duration<double> spent = Clock::now() - start;
      const double speed = static_cast<double>(trainer.documents_done()) / spent.count();
      outcome.names_per_second = std::max(outcome.names_per_second, speed);  // the fastest run was the least disturbed
      outcome.training[i] = mean_of_last_hundred(losses);
      outcome.held_out[i] = token_loss(trainer.model(), names.held_out, tokenizer, 1);
    }
  }
  return comparison;
}

}  // namespace microgpt
