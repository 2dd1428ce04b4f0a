// Lesson 22: pruning. A head is taken out of a trained model, and the model is measured again. Which heads does it
// need, how many can go, and how do we know?
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "lesson/lesson.h"
#include "lesson/trained.h"
#include "pictures.h"

namespace lesson22 {

/// Zeros in the columns [h*D, (h+1)*D) of attn_wo: nothing reads head h any more.
void take_out(HeadId id, std::size_t D, const Parameters& parameters) {
  const Parameter& attn_wo = parameters[fmt::format("layer{}.attn_wo", id.layer)];
  for (std::size_t j = id.head * D; j < (id.head + 1) * D; j++) {
    for (std::size_t i = 0; i < attn_wo.rows; i++) attn_wo.row(i)[j] = 0;
  }
}

/// Loss and accuracy of every document of the probe, without these heads.
Scores scores_without(const Heads& out, Parameters& parameters, Probe& probe) {
  const Numbers whole(parameters.data().begin(), parameters.data().end());
  for (const HeadId id : out) take_out(id, probe.config().head_dim(), parameters);
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
Heads one_ranking(const Heads& left, Heads out, Parameters& parameters, Probe& probe) {
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
    const Heads ranking = one_ranking(left, out, parameters, probe);
    out.push_back(ranking.front());
    std::erase(left, ranking.front());  // stop: goes
  }
  return out;
}

/// Each head alone is taken out, and replaced by its mean output.
void print_importance(Trained& model, Probe& probe, const Scores& whole) {
  fmt::print("all heads: loss {:.4f}, {:.1f} % right\n", estimate(whole.losses).mean,
             100 * estimate(whole.accuracies).mean);
  fmt::print("out | loss grows        | says its mean     | points\n");
  for (const HeadOutput& output : probe.mean_outputs()) {
    const Scores out = scores_without({output.id}, model.parameters, probe);
    const Difference grows = in_pairs(whole.losses, out.losses), right = in_pairs(whole.accuracies, out.accuracies),
                     with_mean = in_pairs(whole.losses, probe.scores({&output, 1}).losses);
    fmt::print("{} | {:+.4f} +- {:.4f} | {:+.4f} +- {:.4f} | {:+.1f} +- {:.1f}\n", name(output.id), grows.mean,
               grows.margin, with_mean.mean, with_mean.margin, 100 * right.mean, 100 * right.margin);
  }
}

/// Chooses heads in four ways on some documents, and reports on others.
Ways prune(Trained& model, Probe& chosen, Probe& others) {
  Heads heads = all_heads(model.config);
  PythonRandom random(1);
  std::vector<Path> by_chance;
  for (int i = 0; i < 8; i++) {
    random.shuffle(heads);
    by_chance.push_back(follow(heads, others));
  }
  const Ways ways{follow(one_by_one(model.parameters, chosen), others),
                  follow(one_ranking(all_heads(model.config), {}, model.parameters, chosen), others),
                  *best_subsets(chosen, others, [](auto, auto) {}), mean_of(by_chance)};
  print_ways(ways, by_chance);
  const Heads& spare = ways[0][spare_heads(ways[0])].removed;
  const Scores before = others.scores(), after = scores_without(spare, model.parameters, others);
  const Difference right = in_pairs(before.accuracies, after.accuracies);
  fmt::print(
      "heads that can go for one point of accuracy: {}, {}, {}, {} (one by one: {} out, {:+.1f} +- {:.1f} points)\n",
      spare.size(), spare_heads(ways[1]), spare_heads(ways[2]), spare_heads(ways[3]), spare.size(), 100 * right.mean,
      100 * right.margin);
  return ways;
}

void check(Lesson& lesson, Trained& model, Probe& probe, const Scores& whole) {
  const HeadId first{0, 0};
  lesson.check("zeros in attn_wo are zeros in place of a head's output",
               scores_without({first}, model.parameters, probe).losses ==
                   probe.scores(silenced({&first, 1}, model.config)).losses);
  lesson.check("one by one is greedy_order()", one_by_one(model.parameters, probe) == greedy_order(probe));
  lesson.check("one ranking is ranked_order()",
               one_ranking(all_heads(model.config), {}, model.parameters, probe) == ranked_order(probe));
  lesson.check("all heads are back", probe.scores().losses == whole.losses);
}

/// SEED=1 trains other models.
std::uint64_t seed_or(std::uint64_t usual) {
  const char* const seed = std::getenv("SEED");
  return seed != nullptr ? std::stoull(seed) : usual;
}

}  // namespace lesson22

int main(int argc, char** argv) {
  using namespace lesson22;
  Lesson lesson(argc, argv);

  // Three names, with a head and without it.
  const Numbers before{1.80, 2.40, 3.00}, after{1.82, 2.44, 3.03};
  const Difference lists = as_two_lists(before, after), pairs = in_pairs(before, after);
  fmt::print(
      "\n--- 1.80 2.40 3.00 become 1.82 2.44 3.03 ---\nas two lists: {:+.2f} +- {:.2f}; in pairs: {:+.2f} +- {:.2f}\n",
      lists.mean, lists.margin, pairs.mean, pairs.margin);

  // Two heads of two numbers at three letters, and the first two numbers of what W_O makes of them.
  fmt::print("\n--- two heads at three letters ---\nhead 0 head 1 | W_O makes | head 1 says (2 2) | head 1 is out\n");
  for (const Numbers& x : {Numbers{3, 1, 2, 4}, {1, 1, 2, 0}, {0, 2, 2, 2}}) {
    Parameters parameters({{"layer0.attn_wo", 4, 4}});
    const Parameter& attn_wo = parameters["layer0.attn_wo"];
    const Numbers rows{1, 1, 1, 0, 0, 2, 1, 1};
    std::copy(rows.begin(), rows.end(), attn_wo.data);
    auto made_of = [&](const Numbers& heads) {
      auto row = [&](std::size_t i) {
        return std::inner_product(heads.begin(), heads.end(), attn_wo.row(i).begin(), 0.0);
      };
      return fmt::format("({} {})", row(0), row(1));
    };
    fmt::print("({} {})  ({} {})  | {}     | {}", x[0], x[1], x[2], x[3], made_of(x), made_of({x[0], x[1], 2, 2}));
    take_out({0, 1}, 2, parameters);
    fmt::print("             | {}\n", made_of(x));
  }

  // Of three heads, 0:0 and 0:1 can stand in for each other. The losses without one, then without 0:0 and another.
  const Heads ranking = cheapest_first({{0, 0}, {0, 1}, {0, 2}}, {1.01, 1.02, 1.10});
  const Heads again = cheapest_first({{0, 1}, {0, 2}}, {1.50, 1.12});
  fmt::print("\n--- heads 0:0 and 0:1 can stand in for each other ---\n");  // stop: again
  fmt::print("one ranking: {} goes first, then {}\n", name(ranking[0]), name(ranking[1]));
  fmt::print("one by one: {} goes first, then {}\n", name(ranking[0]), name(again[0]));

  fmt::print("\n--- names: 2 layers of 4 heads ---\n");
  Trained speller = train({.model = {.n_layer = 2}, .train = {.num_steps = 2000, .batch_size = 16}},
                          lesson.split().training, lesson.split().held_out, seed_or(4));
  const auto names = speller.held_out.begin();
  Probe chosen(speller.config, speller.parameters, {names, names + 300});
  Probe others(speller.config, speller.parameters, {names + 300, speller.held_out.end()});
  const Scores whole = chosen.scores();

  // The obvious attempt: the mean loss with a head, and without it.
  for (const HeadId id : all_heads(speller.config)) {
    const Scores out = scores_without({id}, speller.parameters, chosen);
    const Difference grows = as_two_lists(whole.losses, out.losses);
    fmt::print("without {} the loss grows by {:+.4f} +- {:.4f}\n", name(id), grows.mean, grows.margin);
  }
  fmt::print("\n");
  print_importance(speller, chosen, whole);

  // Heads are chosen on few names: what these promise, and what the others say.
  fmt::print("\nchosen on | 1 out: promised, others | 2 out           | 3 out\n");
  for (const int n : {25, 100, 300}) {
    Probe few(speller.config, speller.parameters, {names, names + n});
    Heads order = one_by_one(speller.parameters, few);
    order.resize(3);
    const Path here = follow(order, few), there = follow(order, others);
    auto growth = [&](std::size_t out) {
      return fmt::format("{:+.4f} {:+.4f}", here[out].loss - here[0].loss, there[out].loss - there[0].loss);
    };
    fmt::print("{:9} | {}         | {} | {}\n", n, growth(1), growth(2), growth(3));
  }
  lesson.picture("22_cost.svg", draw_cost(prune(speller, chosen, others)));
  check(lesson, speller, chosen, whole);

  fmt::print("\n--- copying words: 1 layer of 4 heads ---\n");
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  Trained copier = train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                         draw_documents({}, Part::held_out, 2300, random), seed_or(87));
  const auto copies = copier.held_out.begin();
  Probe chosen_copies(copier.config, copier.parameters, {copies, copies + 300});
  Probe other_copies(copier.config, copier.parameters, {copies + 300, copier.held_out.end()});
  const Scores whole_copier = chosen_copies.scores();
  print_importance(copier, chosen_copies, whole_copier);
  const Heads order = prune(copier, chosen_copies, other_copies)[0].back().removed;

  // Which letters after "=" are right if only these heads are left.
  const std::vector<std::string> left{"0123", "13", "12", "02", "0", "1", "2", "3"};
  Grid right{left, {}, std::vector<Numbers>(left.size()), 1};
  for (Token letter = copier.tokenizer.encode(U"a")[0]; letter != copier.tokenizer.bos(); letter++) {
    right.col_labels.push_back(copier.tokenizer.label(letter));
    std::vector<ProbeDocument> predictions;
    for (const auto& [tokens, first, end] : chosen_copies.documents()) {
      for (std::size_t t = first; t < end; t++) {
        if (tokens[t + 1] == letter) predictions.push_back({tokens, t, t + 1});
      }
    }
    Probe probe(copier.config, copier.parameters, predictions);
    for (std::size_t i = 0; i < left.size(); i++) {
      Heads out = all_heads(copier.config);
      std::erase_if(out, [&](HeadId id) { return left[i].find(std::to_string(id.head)) != std::string::npos; });
      right.rows[i].push_back(estimate(scores_without(out, copier.parameters, probe).accuracies).mean);
    }
  }
  fmt::print("\nheads that are left, and how much of each letter is right\n{}", numbers(right));
  const std::vector<Token> tokens = copier.tokenizer.encode_document(U"cbefhg=cbefhg");
  const std::vector<TitledGrid> maps = head_maps(copier.config, copier.parameters, tokens, copier.tokenizer);
  lesson.picture("22_copier.svg", draw_copier(maps, order, right));
  check(lesson, copier, chosen_copies, whole_copier);
  return lesson.finish();
}
