// Lesson 22: pruning. A head is taken out of a trained model, and the model is measured again. Which heads does it
// need, how many can go, and how do we know?
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/task.h"
#include "inspect/gallery.h"
#include "inspect/pruning.h"
#include "lesson/lesson.h"
#include "lesson/trained.h"
#include "train/evaluation.h"

using namespace microgpt;

using Numbers = std::vector<double>;
using Heads = std::vector<HeadId>;
using LossWithout = std::function<double(const Heads& out)>;

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

Difference as_two_lists(const Numbers& before, const Numbers& after) {
  const Estimate a = estimate(before), b = estimate(after);
  return {b.mean - a.mean, 2 * std::hypot(a.standard_error, b.standard_error)};
}

Difference in_pairs(const Numbers& before, const Numbers& after) {
  Numbers differences;
  for (std::size_t i = 0; i < before.size(); i++) differences.push_back(after[i] - before[i]);
  const Estimate e = estimate(differences);
  return {e.mean, 2 * e.standard_error};  // stop: pairs
}

/// The heads in the order of what each costs alone.
Heads one_ranking(const Heads& heads, const LossWithout& loss) {
  std::vector<std::pair<double, HeadId>> ranking;
  for (const HeadId id : heads) ranking.emplace_back(loss({id}), id);
  std::sort(ranking.begin(), ranking.end());
  Heads order;
  for (const auto& [cost, id] : ranking) order.push_back(id);
  return order;
}

/// The first of a ranking goes. Then the others are ranked again, without it.
Heads one_by_one(Heads left, const LossWithout& loss) {
  Heads out;
  while (!left.empty()) {
    const Heads ranking = one_ranking(left, [&](Heads one_more) {
      one_more.insert(one_more.end(), out.begin(), out.end());
      return loss(one_more);
    });
    out.push_back(ranking.front());  // stop: goes
    std::erase(left, ranking.front());
  }
  return out;
}

std::string name(HeadId id) { return fmt::format("{}:{}", id.layer, id.head); }

// --- On paper: three names, two heads, three heads ---

void print_pairs() {
  const Numbers before{1.80, 2.40, 3.00}, after{1.82, 2.44, 3.03};
  const Difference lists = as_two_lists(before, after), pairs = in_pairs(before, after);
  fmt::print(
      "\n--- 1.80 2.40 3.00 become 1.82 2.44 3.03 ---\nas two lists: {:+.2f} +- {:.2f}; in pairs: {:+.2f} +- {:.2f}\n",
      lists.mean, lists.margin, pairs.mean, pairs.margin);
}

/// Two heads of two numbers at three letters, and the first two of four numbers that W_O makes of them. Then head 1
/// says its mean all the time, or is out.
void print_zeros() {
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
    fmt::print("({} {})  ({} {})  | {}     | {}             | {}\n", x[0], x[1], x[2], x[3], both, with_mean,
               made(x));  // stop: zeros
  }
}

/// A model of three heads: its loss without each set of them.
void print_orders() {
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

// --- Trained models ---

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

/// The obvious attempt: the mean loss with a head, and without it.
void print_attempt(Patient& model) {
  for (const HeadId id : all_heads(model.config)) {
    const Scores out = scores_without({id}, model.parameters, model.chosen);
    const Difference grows = as_two_lists(model.whole.losses, out.losses);
    fmt::print("without {} the loss grows by {:+.4f} +- {:.4f}\n", name(id), grows.mean, grows.margin);
  }
  fmt::print("\n");
}

/// In pairs: each head alone is taken out, and replaced by its mean output.
void print_importance(Patient& model) {
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
void print_promises(Patient& model) {
  fmt::print("\nchosen on | 1 out: promised, others | 2 out           | 3 out\n");
  for (const int n : {25, 100, 300}) {
    const auto first = model.chosen.documents().begin();
    Probe few(model.config, model.parameters, {first, first + n});
    const Heads order = one_by_one(all_heads(model.config), model.loss_on(few));
    const std::vector<Pruned> here = follow(order, few), there = follow(order, model.others);
    auto growth = [&](std::size_t out) {
      return fmt::format("{:+.4f} {:+.4f}", here[out].loss - here[0].loss, there[out].loss - there[0].loss);
    };
    fmt::print("{:9} | {}         | {} | {}\n", n, growth(1), growth(2), growth(3));
  }
}

/// The mean of five random orders.
std::vector<Pruned> by_chance(Heads heads, Probe& probe) {
  PythonRandom random(1);
  std::vector<Pruned> sum(heads.size() + 1);
  for (int i = 0; i < 5; i++) {
    random.shuffle(heads);
    const std::vector<Pruned> path = follow(heads, probe);
    for (std::size_t n = 0; n < path.size(); n++) {
      sum[n].loss += path[n].loss / 5;
      sum[n].accuracy += path[n].accuracy / 5;
    }
  }
  return sum;
}

using Ways = std::vector<std::vector<Pruned>>;  // ways[i][n]: n heads out, chosen in way i

/// Chooses heads in four ways, and reports on the other documents.
Ways prune(Patient& model) {
  const Heads heads = all_heads(model.config);
  const LossWithout loss = model.loss_on(model.chosen);
  const Ways ways{follow(one_by_one(heads, loss), model.others), follow(one_ranking(heads, loss), model.others),
                  *best_subsets(model.chosen, model.others, [](auto, auto) {}), by_chance(heads, model.others)};
  fmt::print("\nout | one by one        | one ranking       | best set      | chance\n");
  for (std::size_t n = 1; n <= heads.size(); n++) {
    fmt::print("{:3}", n);
    for (std::size_t i = 0; i < ways.size(); i++) {
      fmt::print(" | {}{:+.4f} {:+5.1f}", i < 2 ? name(ways[i][n].removed.back()) + " " : "",
                 ways[i][n].loss - ways[i][0].loss, 100 * (ways[i][n].accuracy - ways[i][0].accuracy));
    }
    fmt::print("\n");
  }
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
Grid right_by_letter(Patient& copier, const std::vector<std::string>& left) {
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

void draw_cost(const Lesson& lesson, const Ways& ways) {
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
void draw_copier(const Lesson& lesson, Patient& copier, const Heads& order, const Grid& letters) {
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

void check(Lesson& lesson, Patient& model) {
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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_pairs();
  print_zeros();
  print_orders();
  const char* const seed = std::getenv("SEED");  // SEED=1 trains other models

  fmt::print("\n--- names: 2 layers of 4 heads ---\n");
  Patient speller(train({.model = {.n_layer = 2}, .train = {.num_steps = 2000, .batch_size = 16}},
                        lesson.split().training, lesson.split().held_out, seed != nullptr ? std::stoull(seed) : 4));
  print_attempt(speller);
  print_importance(speller);
  print_promises(speller);
  draw_cost(lesson, prune(speller));
  check(lesson, speller);

  fmt::print("\n--- copying words: 1 layer of 4 heads ---\n");
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  Patient copier(train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                       draw_documents({}, Part::held_out, 2300, random), seed != nullptr ? std::stoull(seed) : 87));
  print_importance(copier);
  const Heads order = prune(copier)[0].back().removed;
  const Grid letters = right_by_letter(copier, {"0123", "13", "12", "02", "0", "1", "2", "3"});
  fmt::print("\nheads that are left, and how much of each letter is right\n{}", numbers(letters));
  draw_copier(lesson, copier, order, letters);
  check(lesson, copier);
  return lesson.finish();
}
