// The long table and the pictures of lesson 22: numbers in, text or an Svg out.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "heads/gallery.h"
#include "heads/pruning.h"
#include "train/evaluation.h"

namespace lesson22 {

using namespace microgpt;
using Numbers = std::vector<double>;
using Heads = std::vector<HeadId>;
using Path = std::vector<Pruned>;  // path[n]: n heads out
using Ways = std::vector<Path>;    // ways[i][n]: n heads out, chosen in way i

inline std::string name(HeadId id) { return fmt::format("{}:{}", id.layer, id.head); }

/// The mean of some paths.
inline Path mean_of(const std::vector<Path>& paths) {
  const auto share = 1 / static_cast<double>(paths.size());
  Path mean(paths[0].size());
  for (const Path& path : paths) {
    for (std::size_t n = 0; n < path.size(); n++) {
      mean[n].loss += path[n].loss * share;
      mean[n].accuracy += path[n].accuracy * share;
    }
  }
  return mean;
}

/// What each way costs with 1, 2, ... heads out; by chance with two standard errors of eight orders.
inline void print_ways(const Ways& ways, const std::vector<Path>& by_chance) {
  fmt::print("\nout | one by one        | one ranking       | best set      | chance\n");
  for (std::size_t n = 1; n < ways[0].size(); n++) {
    Numbers grows;
    for (const Path& path : by_chance) grows.push_back(path[n].loss - path[0].loss);
    fmt::print("{:3}", n);
    for (std::size_t i = 0; i < ways.size(); i++) {
      const std::string gone = i < 2 ? name(ways[i][n].removed.back()) + " " : "";
      const std::string margin = i < 3 ? "" : fmt::format(" +- {:.4f}", 2 * estimate(grows).standard_error);
      fmt::print(" | {}{:+.4f}{} {:+5.1f}", gone, ways[i][n].loss - ways[i][0].loss, margin,
                 100 * (ways[i][n].accuracy - ways[i][0].accuracy));
    }
    fmt::print("\n");
  }
}

inline Svg draw_cost(const Ways& ways) {
  std::vector<std::string> labels;
  std::vector<Bars> bars{{"chosen one by one", {}}, {"by chance", {}}};
  for (std::size_t n = 1; n < ways[0].size(); n++) {
    labels.push_back(fmt::format("{} out", n));
    for (const std::size_t i : {0, 1}) bars[i].heights.push_back(ways[3 * i][n].loss - ways[3 * i][0].loss);
  }
  const char* const title = "Half of the eight heads can go for little, if they are the right ones";
  return bar_chart(title, "how much the loss grows", labels, bars);
}

/// The map of each head of the copier, when it goes, and how much of each letter it gets right alone.
inline Svg draw_copier(std::vector<TitledGrid> maps, const Heads& order, const Grid& right) {
  std::vector<TitledGrid> alone;
  for (std::size_t n = 0; n < 4; n++) {
    maps[order[n].head].first = fmt::format("head {} goes as number {}", name(order[n]), n + 1);
    alone.push_back({"alone, it gets right", {{""}, right.col_labels, {right.rows[4 + n]}, 1}});
  }
  const char* const scale =
      "A row is the letter that looks, a column the one it looks at. Darkest: all. White: nothing.";
  return heat_maps("Four heads look at the same letter, and each tells other letters apart", {maps, alone}, scale);
}

}  // namespace lesson22
