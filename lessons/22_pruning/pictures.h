// The long table and the pictures of lesson 22: numbers in, text or an Svg out.
#pragma once

#include "draw/plot.h"
#include "heads/importance.h"
#include "lesson/lesson.h"

namespace microgpt {

inline std::string name(HeadId id) { return fmt::format("{}:{}", id.layer, id.head); }

/// With n heads out: by how much the loss has grown, and by how many points accuracy has changed.
inline double growth(const std::vector<Pruned>& path, std::size_t n) { return path[n].loss - path[0].loss; }
inline double points(const std::vector<Pruned>& path, std::size_t n) {
  return 100 * (path[n].accuracy - path[0].accuracy);
}

/// The mean of some paths.
inline std::vector<Pruned> mean_of(const std::vector<std::vector<Pruned>>& paths) {
  const auto share = 1 / static_cast<double>(paths.size());
  std::vector<Pruned> mean(paths[0].size());
  for (const std::vector<Pruned>& path : paths) {
    for (std::size_t n = 0; n < path.size(); n++) {
      mean[n].loss += path[n].loss * share;
      mean[n].accuracy += path[n].accuracy * share;
    }
  }
  return mean;
}

/// What each way to choose heads costs with 1, 2, ... heads out; by chance with two standard errors of eight orders.
inline void print_ways(const std::vector<Pruned>& one_by_one, const std::vector<Pruned>& one_ranking,
                       const std::vector<Pruned>& best_set, const std::vector<std::vector<Pruned>>& by_chance) {
  const std::vector<Pruned> chance = mean_of(by_chance);
  fmt::print("\nout | one by one        | one ranking       | best set      | chance\n");
  for (std::size_t n = 1; n < chance.size(); n++) {
    fmt::print("{:3}", n);
    for (const auto& path : {one_by_one, one_ranking}) {
      fmt::print(" | {} {:+.4f} {:+5.1f}", name(path[n].removed.back()), growth(path, n), points(path, n));
    }
    std::vector<double> grows;
    for (const std::vector<Pruned>& path : by_chance) grows.push_back(growth(path, n));
    fmt::print(" | {:+.4f} {:+5.1f} | {:+.4f} +- {:.4f} {:+5.1f}\n", growth(best_set, n), points(best_set, n),
               growth(chance, n), 2 * estimate(grows).standard_error, points(chance, n));
  }
}

inline Svg draw_cost(const std::vector<Pruned>& one_by_one, const std::vector<Pruned>& by_chance) {
  std::vector<std::string> labels;
  std::vector<Bars> bars{{"chosen one by one", {}}, {"by chance", {}}};
  for (std::size_t n = 1; n < one_by_one.size(); n++) {
    labels.push_back(fmt::format("{} out", n));
    bars[0].heights.push_back(growth(one_by_one, n));
    bars[1].heights.push_back(growth(by_chance, n));
  }
  const char* const title = "Half of the eight heads can go for little, if they are the right ones";
  return bar_chart(title, "how much the loss grows", labels, bars);
}

/// The map of each head of the copier, when it goes, and how much of each letter it gets right alone.
inline Svg draw_copier(std::vector<TitledGrid> maps, const std::vector<HeadId>& order, const Grid& right) {
  std::vector<TitledGrid> alone;
  for (std::size_t n = 0; n < 4; n++) {
    maps[order[n].head].first = fmt::format("head {} goes as number {}", name(order[n]), n + 1);
    alone.push_back({"alone, it gets right", {{""}, right.col_labels, {right.rows[4 + n]}, 1}});
  }
  const char* const scale =
      "A row is the letter that looks, a column the one it looks at. Darkest: all. White: nothing.";
  return heat_maps("Four heads look at the same letter, and each tells other letters apart", {maps, alone}, scale);
}

}  // namespace microgpt
