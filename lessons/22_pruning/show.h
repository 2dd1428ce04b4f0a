// What lesson 22 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "heads/gallery.h"
#include "heads/pruning.h"
#include "lesson/lesson.h"
#include "lesson/trained.h"
#include "train/evaluation.h"

namespace lesson22 {

using namespace microgpt;
using Numbers = std::vector<double>;
using Heads = std::vector<HeadId>;
using LossWithout = std::function<double(const Heads& out)>;

/// A difference of two means, and twice its standard error. If it lies within this margin, its sign is unknown.
struct Difference {
  double mean, margin;
};

// --- The functions of main.cpp ---------------------------------------------------------------------------------------

void take_out(HeadId id, std::size_t D, const Parameters& parameters);
Scores scores_without(const Heads& out, Parameters& parameters, Probe& probe);
Difference as_two_lists(const Numbers& before, const Numbers& after);
Difference in_pairs(const Numbers& before, const Numbers& after);
Heads one_ranking(const Heads& heads, const LossWithout& loss);
Heads one_by_one(Heads left, const LossWithout& loss);

// --- On paper: three names, two heads, three heads -------------------------------------------------------------------

inline std::string name(HeadId id) { return fmt::format("{}:{}", id.layer, id.head); }

inline void show_pairs() {
  const Numbers before{1.80, 2.40, 3.00}, after{1.82, 2.44, 3.03};
  const Difference lists = as_two_lists(before, after), pairs = in_pairs(before, after);
  fmt::print(
      "\n--- 1.80 2.40 3.00 become 1.82 2.44 3.03 ---\nas two lists: {:+.2f} +- {:.2f}; in pairs: {:+.2f} +- {:.2f}\n",
      lists.mean, lists.margin, pairs.mean, pairs.margin);
}

/// Two heads of two numbers at three letters, and the first two of four numbers that W_O makes of them. Then head 1
/// says its mean all the time, or is out.
inline void show_zeros() {
  Parameters parameters({{"layer0.attn_wo", 4, 4}});
  const Parameter& attn_wo = parameters["layer0.attn_wo"];
  auto made = [&](const Numbers& x) {
    auto row = [&](std::size_t i) { return std::inner_product(x.begin(), x.end(), attn_wo.row(i).begin(), 0.0); };
    return fmt::format("({} {})", row(0), row(1));
  };
  fmt::print("\n--- two heads at three letters ---\nhead 0 head 1 | W_O makes | head 1 says (2 2) | head 1 is out\n");
  for (const Numbers& x : {Numbers{3, 1, 2, 4}, {1, 1, 2, 0}, {0, 2, 2, 2}}) {
    const Numbers whole{1, 1, 1, 0, 0, 2, 1, 1};
    std::copy(whole.begin(), whole.end(), parameters.data().begin());
    const std::string both = made(x), with_mean = made({x[0], x[1], 2, 2});
    take_out({0, 1}, 2, parameters);
    fmt::print("({} {})  ({} {})  | {}     | {}             | {}\n", x[0], x[1], x[2], x[3], both, with_mean, made(x));
  }
}

/// A model of three heads: its loss without each set of them.
inline void show_orders() {
  auto loss = [](const Heads& out) {
    std::size_t bits = 0;
    for (const HeadId id : out) bits |= std::size_t{1} << id.head;
    return Numbers{1.00, 1.01, 1.02, 1.50, 1.10, 1.12, 1.13, 2.00}[bits];
  };
  const Heads heads{{0, 0}, {0, 1}, {0, 2}}, ranking = one_ranking(heads, loss), order = one_by_one(heads, loss);
  fmt::print("\n--- heads 0:0 and 0:1 can stand in for each other ---\n");
  fmt::print("one ranking: {} goes first, then {}\n", name(ranking[0]), name(ranking[1]));
  fmt::print("one by one: {} goes first, then {}\n", name(order[0]), name(order[1]));
}

// --- Trained models --------------------------------------------------------------------------------------------------

/// A trained model. Some held-out documents are there to choose heads on, the others to report what happens then.
struct Patient : Trained {
  explicit Patient(Trained trained) : Trained(std::move(trained)) {}

  Probe chosen{config, parameters, {held_out.begin(), held_out.begin() + 300}};
  Probe others{config, parameters, {held_out.begin() + 300, held_out.end()}};
  Scores whole = chosen.scores();

  LossWithout loss_on(Probe& probe) {
    return [&](const Heads& out) { return estimate(scores_without(out, parameters, probe).losses).mean; };
  }
};

/// SEED=1 trains other models.
inline std::uint64_t seed_or(std::uint64_t usual) {
  const char* const seed = std::getenv("SEED");
  return seed != nullptr ? std::stoull(seed) : usual;
}

inline Patient learn_names(const Lesson& lesson) {
  return Patient(train({.model = {.n_layer = 2}, .train = {.num_steps = 2000, .batch_size = 16}},
                       lesson.split().training, lesson.split().held_out, seed_or(4)));
}

inline Patient learn_to_copy() {
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  return Patient(train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                       draw_documents({}, Part::held_out, 2300, random), seed_or(87)));
}

/// The obvious attempt: the mean loss with a head, and without it.
inline void show_attempt(Patient& model) {
  for (const HeadId id : all_heads(model.config)) {
    const Scores out = scores_without({id}, model.parameters, model.chosen);
    const Difference grows = as_two_lists(model.whole.losses, out.losses);
    fmt::print("without {} the loss grows by {:+.4f} +- {:.4f}\n", name(id), grows.mean, grows.margin);
  }
  fmt::print("\n");
}

/// In pairs: each head alone is taken out, and replaced by its mean output.
inline void show_importance(Patient& model) {
  const auto& [losses, accuracies] = model.whole;
  fmt::print("all heads: loss {:.4f}, {:.1f} % right\n", estimate(losses).mean, 100 * estimate(accuracies).mean);
  fmt::print("out | loss grows        | says its mean     | points\n");
  for (const HeadOutput& output : model.chosen.mean_outputs()) {
    const Scores out = scores_without({output.id}, model.parameters, model.chosen);
    const Difference grows = in_pairs(losses, out.losses), right = in_pairs(accuracies, out.accuracies),
                     with_mean = in_pairs(losses, model.chosen.scores({&output, 1}).losses);
    fmt::print("{} | {:+.4f} +- {:.4f} | {:+.4f} +- {:.4f} | {:+.1f} +- {:.1f}\n", name(output.id), grows.mean,
               grows.margin, with_mean.mean, with_mean.margin, 100 * right.mean, 100 * right.margin);
  }
}

/// Heads are chosen on few documents: what these promise, and what the others say.
inline void show_promises(Patient& model) {
  fmt::print("\nchosen on | 1 out: promised, others | 2 out           | 3 out\n");
  for (const int n : {25, 100, 300}) {
    const auto first = model.chosen.documents().begin();
    Probe few(model.config, model.parameters, {first, first + n});
    Heads order = one_by_one(all_heads(model.config), model.loss_on(few));
    order.resize(3);
    const std::vector<Pruned> here = follow(order, few), there = follow(order, model.others);
    auto growth = [&](std::size_t out) {
      return fmt::format("{:+.4f} {:+.4f}", here[out].loss - here[0].loss, there[out].loss - there[0].loss);
    };
    fmt::print("{:9} | {}         | {} | {}\n", n, growth(1), growth(2), growth(3));
  }
}

/// Eight random orders.
inline std::vector<std::vector<Pruned>> by_chance(Heads heads, Probe& probe) {
  PythonRandom random(1);
  std::vector<std::vector<Pruned>> paths;
  for (int i = 0; i < 8; i++) {
    random.shuffle(heads);
    paths.push_back(follow(heads, probe));
  }
  return paths;
}

/// With n heads out, by how much the loss grows, over all paths.
inline Estimate growth(const std::vector<std::vector<Pruned>>& paths, std::size_t n) {
  Numbers grows;
  for (const std::vector<Pruned>& path : paths) grows.push_back(path[n].loss - path[0].loss);
  return estimate(grows);
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

using Ways = std::vector<std::vector<Pruned>>;  // ways[i][n]: n heads out, chosen in way i

/// What each way costs with 1, 2, ... heads out; by chance with two standard errors of eight orders.
inline void show_ways(const Ways& ways, const std::vector<std::vector<Pruned>>& orders) {
  fmt::print("\nout | one by one        | one ranking       | best set      | chance\n");
  for (std::size_t n = 1; n < ways[0].size(); n++) {
    fmt::print("{:3}", n);
    for (std::size_t i = 0; i < ways.size(); i++) {
      const std::string gone = i < 2 ? name(ways[i][n].removed.back()) + " " : "";
      const std::string margin = i < 3 ? "" : fmt::format(" +- {:.4f}", 2 * growth(orders, n).standard_error);
      fmt::print(" | {}{:+.4f}{} {:+5.1f}", gone, ways[i][n].loss - ways[i][0].loss, margin,
                 100 * (ways[i][n].accuracy - ways[i][0].accuracy));
    }
    fmt::print("\n");
  }
}

/// Chooses heads in four ways, and reports on the other documents.
inline Ways prune(Patient& model) {
  const Heads heads = all_heads(model.config);
  const LossWithout loss = model.loss_on(model.chosen);
  const std::vector<std::vector<Pruned>> orders = by_chance(heads, model.others);
  const Ways ways{follow(one_by_one(heads, loss), model.others), follow(one_ranking(heads, loss), model.others),
                  *best_subsets(model.chosen, model.others, [](auto, auto) {}), mean_of(orders)};
  show_ways(ways, orders);
  const Heads spare = ways[0][spare_heads(ways[0])].removed;
  const Scores before = model.others.scores(), after = scores_without(spare, model.parameters, model.others);
  const Difference right = in_pairs(before.accuracies, after.accuracies);
  fmt::print(
      "heads that can go for one point of accuracy: {}, {}, {}, {} (one by one: {} out, {:+.1f} +- {:.1f} points)\n",
      spare.size(), spare_heads(ways[1]), spare_heads(ways[2]), spare_heads(ways[3]), spare.size(), 100 * right.mean,
      100 * right.margin);
  return ways;
}

/// How much of each letter after "=" is right if only these heads of a copier are left.
inline Grid right_by_letter(Patient& copier, const std::vector<std::string>& left) {
  Grid grid{left, {}, std::vector<Numbers>(left.size()), 1};
  for (Token letter = copier.tokenizer.encode(U"a")[0]; letter != copier.tokenizer.bos(); letter++) {
    std::vector<ProbeDocument> predictions;
    for (const auto& [tokens, first, end] : copier.chosen.documents()) {
      for (std::size_t t = first; t < end; t++) {
        if (tokens[t + 1] == letter) predictions.push_back({tokens, t, t + 1});
      }
    }
    Probe probe(copier.config, copier.parameters, predictions);
    grid.col_labels.push_back(copier.tokenizer.label(letter));
    for (std::size_t i = 0; i < left.size(); i++) {
      Heads out = all_heads(copier.config);
      std::erase_if(out, [&](HeadId id) { return left[i].find(std::to_string(id.head)) != std::string::npos; });
      grid.rows[i].push_back(estimate(scores_without(out, copier.parameters, probe).accuracies).mean);
    }
  }
  return grid;
}

// --- Pictures and checks ---

inline void draw_cost(const Lesson& lesson, const Ways& ways) {
  std::vector<std::string> labels;
  std::vector<Bars> bars{{"chosen one by one", {}}, {"by chance", {}}};
  for (std::size_t n = 1; n < ways[0].size(); n++) {
    labels.push_back(fmt::format("{} out", n));
    for (const std::size_t i : {0, 1}) bars[i].heights.push_back(ways[3 * i][n].loss - ways[3 * i][0].loss);
  }
  const char* const title = "Half of the eight heads can go for little, if they are the right ones";
  lesson.picture("22_cost.svg", bar_chart(title, "how much the loss grows", labels, bars));
}

/// The map of each head of the copier, when it goes, and how much of each letter it gets right alone.
inline void draw_copier(const Lesson& lesson, Patient& copier, const Heads& order, const Grid& letters) {
  const std::vector<Token> tokens = copier.tokenizer.encode_document(U"cbefhg=cbefhg");
  std::vector<TitledGrid> maps = head_maps(copier.config, copier.parameters, tokens, copier.tokenizer), alone;
  for (std::size_t n = 0; n < 4; n++) {
    maps[order[n].head].first = fmt::format("head {} goes as number {}", name(order[n]), n + 1);
    alone.push_back({"alone, it gets right", {{""}, letters.col_labels, {letters.rows[4 + n]}, 1}});
  }
  const char* const scale =
      "A row is the letter that looks, a column the one it looks at. Darkest: all. White: nothing.";
  lesson.picture("22_copier.svg", heat_maps("Four heads look at the same letter, and each tells other letters apart",
                                            {maps, alone}, scale));
}

/// What is right with some of the copier's heads, as numbers, and in the picture.
inline void show_letters(const Lesson& lesson, Patient& copier, const Heads& order) {
  const Grid letters = right_by_letter(copier, {"0123", "13", "12", "02", "0", "1", "2", "3"});
  fmt::print("\nheads that are left, and how much of each letter is right\n{}", numbers(letters));
  draw_copier(lesson, copier, order, letters);
}

inline void check(Lesson& lesson, Patient& model) {
  const HeadId first{0, 0};
  const LossWithout loss = model.loss_on(model.chosen);
  lesson.check("zeros in attn_wo are zeros in place of a head's output",
               scores_without({first}, model.parameters, model.chosen).losses ==
                   model.chosen.scores(silenced({&first, 1}, model.config)).losses);
  const Heads heads = all_heads(model.config);
  lesson.check("one by one is greedy_order()", one_by_one(heads, loss) == greedy_order(model.chosen));
  lesson.check("one ranking is ranked_order()", one_ranking(heads, loss) == ranked_order(model.chosen));
  lesson.check("all heads are back", model.chosen.scores().losses == model.whole.losses);
}

}  // namespace lesson22
