#include "heads/importance.h"

namespace microgpt {

Change change(std::span<const double> before, std::span<const double> after) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); i++) differences.push_back(after[i] - before[i]);
  return estimate(differences);
}

std::vector<Importance> importances(Probe& probe, const OnRun& on_run) {
  const Scores whole = probe.scores();
  const std::vector<HeadOutput> means = probe.mean_outputs();
  auto effect = [&](const HeadOutput& replaced) {
    const Scores without = probe.scores({&replaced, 1});
    return Effect{change(whole.losses, without.losses), change(whole.accuracies, without.accuracies)};
  };
  std::vector<Importance> all;
  for (const HeadOutput& mean : means) {
    all.push_back({mean.id, effect(silenced({&mean.id, 1}, probe.config()).front()), effect(mean)});
    on_run(all.size(), means.size());
  }
  return all;
}

}  // namespace microgpt
