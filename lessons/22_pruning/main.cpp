// Lesson 22: pruning. A head is taken out of a trained model, and the model is measured again. Which heads does it
// need, how many can go, and how do we know?
#include <cstdlib>

#include "base/task.h"
#include "draw/plot.h"
#include "heads/gallery.h"
#include "heads/importance.h"
#include "heads/probe.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "pictures.h"
#include "train/evaluation.h"

using namespace microgpt;
using Numbers = std::vector<double>;
using Heads = std::vector<HeadId>;
using Path = std::vector<Pruned>;  // path[n]: n heads out

/// Zeros in the columns [h*D, (h+1)*D) of attn_wo: nothing reads head h any more. Or another factor, a gate.
void take_out(HeadId id, std::size_t D, const Parameters& parameters, double gate = 0) {
  const Parameter& attn_wo = parameters[fmt::format("layer{}.attn_wo", id.layer)];
  for (std::size_t j = id.head * D; j < (id.head + 1) * D; j++) {
    for (std::size_t i = 0; i < attn_wo.rows; i++) attn_wo.row(i)[j] *= gate;
  }
}

/// Loss and accuracy of every document of the probe, without these heads.
Scores scores_without(const Heads& out, Parameters& parameters, Probe& probe, double gate = 0) {
  const Numbers whole(parameters.data().begin(), parameters.data().end());
  for (const HeadId id : out) take_out(id, probe.config().head_dim(), parameters, gate);
  probe.use(parameters);
  const Scores scores = probe.scores();
  std::copy(whole.begin(), whole.end(), parameters.data().begin());  // put the heads back
  probe.use(parameters);
  return scores;
}

/// A difference of two means, and twice its standard error. If it lies within this margin, its sign is unknown.
struct Difference {
  double mean, margin;
};

/// How much larger the mean of the second list is, and by how much two standard errors of each could move that.
Difference as_two_lists(const Numbers& before, const Numbers& after) {
  const Estimate a = estimate(before), b = estimate(after);
  return {b.mean - a.mean, 2 * std::hypot(a.standard_error, b.standard_error)};
}

/// The same if both lists are about the same documents, in the same order.
Difference in_pairs(const Numbers& before, const Numbers& after) {
  Numbers differences;
  for (std::size_t i = 0; i < before.size(); i++) differences.push_back(after[i] - before[i]);
  const Estimate e = estimate(differences);
  return {e.mean, 2 * e.standard_error};  // stop: pairs
}

/// The heads in the order of the losses without them.
Heads cheapest_first(const Heads& heads, const Numbers& losses) {
  std::vector<std::pair<double, HeadId>> ranking;
  for (std::size_t i = 0; i < heads.size(); i++) ranking.emplace_back(losses[i], heads[i]);
  std::sort(ranking.begin(), ranking.end());
  Heads order;
  for (const auto& [loss, id] : ranking) order.push_back(id);
  return order;
}

/// The heads in `left`, each taken out of a model that is already without those in `out`.
Heads ranked_without(Heads out, const Heads& left, Parameters& parameters, Probe& probe) {
  Numbers losses;
  for (const HeadId id : left) {
    out.push_back(id);
    losses.push_back(estimate(scores_without(out, parameters, probe).losses).mean);
    out.pop_back();
  }
  return cheapest_first(left, losses);
}

/// The first of a ranking goes. Then the others are ranked again, without it.
Heads one_by_one(Parameters& parameters, Probe& probe) {
  Heads left = all_heads(probe.config()), out;
  while (!left.empty()) {
    const Heads ranking = ranked_without(out, left, parameters, probe);
    out.push_back(ranking.front());
    std::erase(left, ranking.front());
  }
  return out;
}

/// In pairs: each head alone is taken out, and replaced by its mean output.
void print_importance(Trained& model, Probe& probe, const Scores& whole) {
  fmt::print("all heads: loss {:.4f}, {:.1f} % right\n", estimate(whole.losses).mean,
             100 * estimate(whole.accuracies).mean);
  fmt::print("out | loss grows        | says its mean     | points      | slope of a gate\n");
  for (const HeadOutput& output : probe.mean_outputs()) {
    const Scores without = scores_without({output.id}, model.parameters, probe), mean = probe.scores({&output, 1});
    const Numbers nudged = scores_without({output.id}, model.parameters, probe, 1 + 1e-6).losses;
    Numbers slopes;
    for (std::size_t i = 0; i < nudged.size(); i++) slopes.push_back(std::abs(nudged[i] - whole.losses[i]) / 1e-6);
    const Difference grows = in_pairs(whole.losses, without.losses), with_mean = in_pairs(whole.losses, mean.losses),
                     right = in_pairs(whole.accuracies, without.accuracies);
    fmt::print("{} | {:+.4f} +- {:.4f} | {:+.4f} +- {:.4f} | {:+.1f} +- {:.1f} | {:.4f}\n", name(output.id), grows.mean,
               grows.margin, with_mean.mean, with_mean.margin, 100 * right.mean, 100 * right.margin,
               estimate(slopes).mean);
  }
}

/// Four ways to choose heads on some documents, reported on others.
struct Ways {
  Path one_by_one, one_ranking, best_set;
  std::vector<Path> by_chance;
};

Ways prune(Trained& model, Probe& chosen, Probe& others) {
  Heads heads = all_heads(model.config);
  const Heads greedy = one_by_one(model.parameters, chosen);
  const Heads ranking = ranked_without({}, heads, model.parameters, chosen);
  Ways ways{follow(greedy, others), follow(ranking, others), *best_subsets(chosen, others, [](auto, auto) {}), {}};
  PythonRandom random(1);
  for (int i = 0; i < 8; i++) {
    random.shuffle(heads);
    ways.by_chance.push_back(follow(heads, others));
  }
  print_ways(ways.one_by_one, ways.one_ranking, ways.best_set, ways.by_chance);

  const Heads& spare = ways.one_by_one[spare_heads(ways.one_by_one)].removed;
  const Scores whole = others.scores(), without = scores_without(spare, model.parameters, others);
  const Difference right = in_pairs(whole.accuracies, without.accuracies);
  fmt::print("heads that can go for one point of accuracy: {}, {}, {}, {}", spare.size(), spare_heads(ways.one_ranking),
             spare_heads(ways.best_set), spare_heads(mean_of(ways.by_chance)));
  fmt::print(" (one by one: {} out, {:+.1f} +- {:.1f} points)\n", spare.size(), 100 * right.mean, 100 * right.margin);
  return ways;
}

void check(Lesson& lesson, Trained& model, Probe& probe, const Scores& whole) {
  const HeadId first{0, 0};
  lesson.check("zeros in attn_wo are zeros in place of a head's output",
               scores_without({first}, model.parameters, probe).losses ==
                   probe.scores(silenced({&first, 1}, model.config)).losses);
  lesson.check("one by one is greedy_order()", one_by_one(model.parameters, probe) == greedy_order(probe));
  lesson.check("one ranking is ranked_order()",
               ranked_without({}, all_heads(model.config), model.parameters, probe) == ranked_order(probe));
  lesson.check("all heads are back", probe.scores().losses == whole.losses);
}

/// SEED=1 trains other models.
std::uint64_t seed_or(std::uint64_t usual) {
  const char* const seed = std::getenv("SEED");
  return seed != nullptr ? std::stoull(seed) : usual;
}

constexpr int num_chosen = 300;  // held-out documents to choose heads on; the others report

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // Three names, with a head and without it.
  const Numbers before{1.80, 2.40, 3.00}, after{1.82, 2.44, 3.03};
  const Difference lists = as_two_lists(before, after), pairs = in_pairs(before, after);
  fmt::print(
      "\n--- 1.80 2.40 3.00 become 1.82 2.44 3.03 ---\nas two lists: {:+.2f} +- {:.2f}; in pairs: {:+.2f} +- {:.2f}\n",
      lists.mean, lists.margin, pairs.mean, pairs.margin);

  // Of three heads, 0:0 and 0:1 can stand in for each other. The losses without one, then without 0:0 and another.
  const Heads ranking = cheapest_first({{0, 0}, {0, 1}, {0, 2}}, {1.01, 1.02, 1.10});
  const Heads again = cheapest_first({{0, 1}, {0, 2}}, {1.50, 1.12});
  fmt::print("\n--- heads 0:0 and 0:1 can stand in for each other ---\n");  // stop: again
  fmt::print("one ranking: {} goes first, then {}\n", name(ranking[0]), name(ranking[1]));
  fmt::print("one by one: {} goes first, then {}\n", name(ranking[0]), name(again[0]));

  fmt::print("\n--- names: 2 layers of 4 heads ---\n");
  Trained speller = train({.model = {.n_layer = 2}, .train = {.num_steps = 2000, .batch_size = 16}},
                          lesson.split().training, lesson.split().held_out, seed_or(4));
  const auto name_301 = speller.held_out.begin() + num_chosen;
  Probe chosen(speller.config, speller.parameters, {speller.held_out.begin(), name_301});
  Probe others(speller.config, speller.parameters, {name_301, speller.held_out.end()});
  const Scores whole = chosen.scores();
  for (const HeadId id : all_heads(speller.config)) {  // the obvious attempt: the mean loss with a head, and without it
    const Scores without = scores_without({id}, speller.parameters, chosen);
    const Difference grows = as_two_lists(whole.losses, without.losses);
    fmt::print("without {} the loss grows by {:+.4f} +- {:.4f}\n", name(id), grows.mean, grows.margin);
  }
  fmt::print("\n");
  print_importance(speller, chosen, whole);

  // Heads are chosen on a few documents: what these promise, and what others say.
  fmt::print("\nchosen on | 1 out: promised, others | 2 out           | 3 out\n");
  for (const int n : {25, 100, 300}) {
    const auto first = chosen.documents().begin();
    Probe few(speller.config, speller.parameters, {first, first + n});
    Heads order = one_by_one(speller.parameters, few);
    order.resize(3);
    const Path here = follow(order, few), there = follow(order, others);
    fmt::print("{:9} | {:+.4f} {:+.4f}         | {:+.4f} {:+.4f} | {:+.4f} {:+.4f}\n", n, growth(here, 1),
               growth(there, 1), growth(here, 2), growth(there, 2), growth(here, 3), growth(there, 3));
  }

  const Ways ways = prune(speller, chosen, others);
  lesson.picture("22_cost.svg", draw_cost(ways.one_by_one, mean_of(ways.by_chance)));
  check(lesson, speller, chosen, whole);

  fmt::print("\n--- copying words: 1 layer of 4 heads ---\n");
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  Trained copier = train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                         draw_documents({}, Part::held_out, 2300, random), seed_or(87));
  const auto word_301 = copier.held_out.begin() + num_chosen;
  Probe chosen_words(copier.config, copier.parameters, {copier.held_out.begin(), word_301});
  Probe other_words(copier.config, copier.parameters, {word_301, copier.held_out.end()});
  const Scores whole_copier = chosen_words.scores();
  print_importance(copier, chosen_words, whole_copier);
  const Ways ways_of_copier = prune(copier, chosen_words, other_words);

  // How much of each letter after "=" is right if only some heads of the copier stay: "02" are the heads 0 and 2.
  const std::vector<std::string> stay{"0123", "13", "12", "02", "0", "1", "2", "3"};
  Grid right{stay, {}, std::vector<Numbers>(stay.size()), 1};
  for (Token letter = copier.tokenizer.encode(U"a")[0]; letter != copier.tokenizer.bos(); letter++) {
    right.col_labels.push_back(copier.tokenizer.label(letter));
    std::vector<ProbeDocument> predictions;  // of this letter
    for (const auto& [tokens, first, end] : chosen_words.documents()) {
      for (std::size_t t = first; t < end; t++) {
        if (tokens[t + 1] == letter) predictions.push_back({tokens, t, t + 1});
      }
    }
    Probe probe(copier.config, copier.parameters, predictions);
    for (std::size_t i = 0; i < stay.size(); i++) {
      Heads out = all_heads(copier.config);
      std::erase_if(out, [&](HeadId id) { return stay[i].find(std::to_string(id.head)) != std::string::npos; });
      right.rows[i].push_back(estimate(scores_without(out, copier.parameters, probe).accuracies).mean);
    }
  }
  fmt::print("\nheads that are left, and how much of each letter is right\n{}", numbers(right));
  const std::vector<Token> tokens = copier.tokenizer.encode_document(U"cbefhg=cbefhg");
  const std::vector<TitledGrid> maps = head_maps(copier.config, copier.parameters, tokens, copier.tokenizer);
  lesson.picture("22_copier.svg", draw_copier(maps, ways_of_copier.one_by_one.back().removed, right));
  check(lesson, copier, chosen_words, whole_copier);
  return lesson.finish();
}
