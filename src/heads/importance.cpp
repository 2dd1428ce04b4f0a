#include "heads/importance.h"

#include <algorithm>
#include <limits>
#include <tuple>

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

namespace {

Scores without(std::span<const HeadId> removed, Probe& probe) {
  return probe.scores(silenced(removed, probe.config()));
}

Pruned pruned(std::span<const HeadId> removed, Probe& reported_on) {
  const Scores scores = without(removed, reported_on);
  return {{removed.begin(), removed.end()}, estimate(scores.losses).mean, estimate(scores.accuracies).mean};
}

/// The heads that are left, each taken out of a model that is already without `removed`: the least important first.
std::vector<HeadId> ranked(std::span<const HeadId> left, std::vector<HeadId> removed, Probe& probe,
                           const std::function<void()>& on_run) {
  const std::vector<double> before = without(removed, probe).losses;
  std::vector<std::tuple<bool, double, HeadId>> all;  // whether any loss changes, and their mean
  for (const HeadId& id : left) {
    removed.push_back(id);
    const std::vector<double> losses = without(removed, probe).losses;
    removed.pop_back();
    all.emplace_back(losses != before, estimate(losses).mean, id);
    on_run();
  }
  std::stable_sort(all.begin(), all.end());
  std::vector<HeadId> order;
  for (const auto& [changes, loss, id] : all) order.push_back(id);
  return order;
}

}  // namespace

std::vector<HeadId> greedy_order(Probe& chosen_on, const OnRun& on_run) {
  std::vector<HeadId> left = all_heads(chosen_on.config());
  const std::size_t total = left.size() * (left.size() + 1) / 2;
  std::size_t done = 0;
  std::vector<HeadId> order;
  while (!left.empty()) {
    order.push_back(ranked(left, order, chosen_on, [&] { on_run(++done, total); }).front());
    std::erase(left, order.back());
  }
  return order;
}

std::vector<HeadId> ranked_order(Probe& chosen_on) {
  return ranked(all_heads(chosen_on.config()), {}, chosen_on, [] {});
}

std::vector<Pruned> follow(std::span<const HeadId> order, Probe& reported_on) {
  std::vector<Pruned> path;
  for (std::size_t n = 0; n <= order.size(); n++) path.push_back(pruned(order.first(n), reported_on));
  return path;
}

std::optional<std::vector<Pruned>> best_subsets(Probe& chosen_on, Probe& reported_on, const OnRun& on_run) {
  constexpr std::size_t most_heads = 12;
  const std::vector<HeadId> heads = all_heads(chosen_on.config());
  if (heads.size() > most_heads) return std::nullopt;
  std::vector<std::vector<HeadId>> best(heads.size() + 1);
  std::vector<double> best_loss(heads.size() + 1, std::numeric_limits<double>::infinity());
  const std::size_t total = std::size_t{1} << heads.size();
  for (std::size_t bits = 0; bits < total; bits++) {
    std::vector<HeadId> removed;
    for (std::size_t i = 0; i < heads.size(); i++) {
      if ((bits >> i & 1) != 0) removed.push_back(heads[i]);
    }
    const double loss = estimate(without(removed, chosen_on).losses).mean;
    if (loss < best_loss[removed.size()]) {
      best_loss[removed.size()] = loss;
      best[removed.size()] = removed;
    }
    on_run(bits + 1, total);
  }
  std::vector<Pruned> path;
  for (const std::vector<HeadId>& removed : best) path.push_back(pruned(removed, reported_on));
  return path;
}

std::size_t spare_heads(std::span<const Pruned> path) {
  std::size_t n = 0;
  while (n + 1 < path.size() && path[n + 1].accuracy >= path.front().accuracy - 0.01) n++;
  return n;
}

}  // namespace microgpt
