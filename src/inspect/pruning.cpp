#include "inspect/pruning.h"

#include <algorithm>
#include <limits>

#include "inspect/moments.h"

namespace microgpt {
namespace {

double mean(std::span<const double> numbers) {
  Moments moments;
  for (const double x : numbers) moments.add(x);
  return moments.mean();
}

Scores without(std::span<const HeadId> removed, Probe& probe) {
  return probe.scores(silenced(removed, probe.config()));
}

Pruned pruned(std::span<const HeadId> removed, Probe& reported_on) {
  const Scores scores = without(removed, reported_on);
  return {{removed.begin(), removed.end()}, mean(scores.losses), mean(scores.accuracies)};
}

/// A head, and what happens without it.
struct Removal {
  HeadId id;
  bool is_dead;  // no document's loss changes
  double loss;

  bool goes_before(const Removal& other) const { return is_dead != other.is_dead ? is_dead : loss < other.loss; }
};

/// Each head that is left, taken out of a model that is already without `removed`.
std::vector<Removal> removals(std::span<const HeadId> left, std::vector<HeadId> removed, Probe& probe,
                              const std::function<void()>& on_run) {
  const std::vector<double> before = without(removed, probe).losses;
  std::vector<Removal> all;
  for (const HeadId& id : left) {
    removed.push_back(id);
    const std::vector<double> losses = without(removed, probe).losses;
    removed.pop_back();
    all.push_back({id, losses == before, mean(losses)});
    on_run();
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.goes_before(b); });
  return all;
}

}  // namespace

std::vector<HeadId> greedy_order(Probe& chosen_on, const OnRun& on_run) {
  std::vector<HeadId> left = all_heads(chosen_on.config());
  const std::size_t total = left.size() * (left.size() + 1) / 2;
  std::size_t done = 0;
  std::vector<HeadId> order;
  while (!left.empty()) {
    order.push_back(removals(left, order, chosen_on, [&] { on_run(++done, total); }).front().id);
    std::erase(left, order.back());
  }
  return order;
}

std::vector<HeadId> ranked_order(Probe& chosen_on) {
  std::vector<HeadId> order;
  for (const Removal& removal : removals(all_heads(chosen_on.config()), {}, chosen_on, [] {})) {
    order.push_back(removal.id);
  }
  return order;
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
    const double loss = mean(without(removed, chosen_on).losses);
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

std::size_t spare_heads(std::span<const Pruned> path, double points) {
  std::size_t n = 0;
  while (n + 1 < path.size() && path[n + 1].accuracy >= path.front().accuracy - points / 100) n++;
  return n;
}

}  // namespace microgpt
