// Lesson 21: what heads look at. A map of one name invites a guess. Here it becomes a measurement, over many documents,
// beside what a head does that does not care, and what fresh weights do by accident. Then heads are silenced.
#include <array>
#include <cstdlib>

#include "base/task.h"
#include "draw/plot.h"
#include "heads/gallery.h"
#include "heads/heads.h"
#include "heads/importance.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "pictures.h"
#include "train/evaluation.h"

using namespace microgpt;
using Numbers = std::vector<double>;
using Tokens = std::span<const Token>;

/// Somewhere to look from position t: whether position s is such a place. The tokens x begin with BOS.
struct Target {
  const char* name;
  bool (*is_at)(Tokens x, std::size_t t, std::size_t s);
};

/// Five places to look, those of Place in src/heads/heads.h and in its order.
const std::vector<Target> targets{
    {"self", [](Tokens, std::size_t t, std::size_t s) { return s == t; }},
    {"previous token", [](Tokens, std::size_t t, std::size_t s) { return s + 1 == t; }},
    {"BOS", [](Tokens, std::size_t, std::size_t s) { return s == 0; }},
    {"equal letter", [](Tokens x, std::size_t t, std::size_t s) { return s < t && x[s] == x[t]; }},
    {"induction", [](Tokens x, std::size_t t, std::size_t s) { return s > 0 && x[s - 1] == x[t]; }}};

/// The weight on a target: a mean over rows, or over documents.
struct Mass {
  double value = 0;
  double even = 0;  // of a head that gives all visible positions the same
  double most = 0;  // of a head that looks there whenever it can
};

/// One document. Row t of `weights` (n,n) says what position t takes from the positions 0 to t.
Mass mass_on(const Target& target, View<const double> weights, Tokens x) {
  const auto n = static_cast<double>(weights.rows);
  Mass mass;
  for (std::size_t t = 0; t < weights.rows; t++) {
    double value = 0, places = 0;
    for (std::size_t s = 0; s <= t; s++) {
      if (!target.is_at(x, t, s)) continue;
      value += weights.row(t)[s];
      places += 1;
    }
    const double even = places / static_cast<double>(t + 1);
    mass.value += value / n;  // stop: row
    mass.even += even / n;
    mass.most += places > 0 ? 1 / n : 0;
  }
  return mass;
}

/// How far the value is on its way from the even share to the most possible: 0 at its start, 1 at its end.
double reach(const Mass& mass) {
  return mass.most > mass.even ? (mass.value - mass.even) / (mass.most - mass.even) : 0;
}

/// How evenly the rows spread their weights, as a share of the most, ln(visible): 0 if a single position has all.
double entropy_of(View<const double> weights) {
  double sum = 0;
  for (std::size_t t = 1; t < weights.rows; t++) {  // row 0 has no choice
    double entropy = 0;
    for (const double a : std::span(weights.row(t), t + 1)) entropy -= a > 0 ? a * std::log(a) : 0;
    sum += entropy / std::log(t + 1);
  }
  return sum / static_cast<double>(weights.rows - 1);
}

/// A head, seen on many documents.
struct Watched {
  HeadId id;
  Numbers entropies = {};                                 // one for each document
  std::vector<std::vector<Mass>> masses{targets.size()};  // [target][document]

  /// The mean of all documents.
  Mass mass(std::size_t target) const {
    const auto n = static_cast<double>(masses[target].size());
    Mass sum;
    for (const Mass& mass : masses[target]) {
      sum = {sum.value + mass.value, sum.even + mass.even, sum.most + mass.most};
    }
    return {sum.value / n, sum.even / n, sum.most / n};
  }

  /// Two standard errors of what the value is above the even share.
  double margin(std::size_t target) const {
    Numbers above;
    for (const Mass& mass : masses[target]) above.push_back(mass.value - mass.even);
    return 2 * estimate(above).standard_error;
  }
};

/// All heads of a model, layer by layer, on all documents.
std::vector<Watched> watch(Probe& probe, const std::vector<Target>& places = targets) {
  const std::size_t H = probe.config().n_head;
  std::vector<Watched> heads;
  for (const HeadId id : all_heads(probe.config())) heads.push_back({id});
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;  // the maps of a layer's heads stand one below the other: (H*n,n)
    const Tokens x = Tokens(probe.documents()[document].tokens);
    for (std::size_t h = 0; h < H; h++) {
      Watched& head = heads[layer * H + h];
      const View<const double> map = weights.slice_rows(h * n, n);
      head.entropies.push_back(entropy_of(map));
      for (std::size_t i = 0; i < places.size(); i++) head.masses[i].push_back(mass_on(places[i], map, x));
    }
  });
  return heads;
}

using Bar = std::array<double, 5>;

/// The largest reach of any head in 40 models with freshly drawn weights, on a hundred documents.
Bar bar_of(const Trained& model, double init_std = 0.08) {
  Bar bar{};
  Probe probe(model.config, model.parameters, {model.held_out.begin(), model.held_out.begin() + 100});
  for (std::uint64_t seed = 1; seed <= 40; seed++) {
    PythonRandom random(seed);
    probe.use(initialize(model.config, {.init_std = init_std}, random));
    for (const Watched& head : watch(probe)) {
      for (std::size_t i = 0; i < bar.size(); i++) bar[i] = std::max(bar[i], reach(head.mass(i)));
    }
  }
  return bar;
}

/// The target of the largest reach.
std::size_t favourite(const Watched& head) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < targets.size(); i++) best = reach(head.mass(i)) > reach(head.mass(best)) ? i : best;
  return best;
}

/// A head is named after its favourite, if that is clear.
std::string name_of(const Watched& head, const Bar& bar) {
  const std::size_t i = favourite(head);
  const Mass mass = head.mass(i);
  const double above = mass.value - mass.even, margin = head.margin(i);
  const bool is_clear = above > margin && reach(mass) > bar[i] && reach(mass) > 1.0 / 3;  // stop: name
  return is_clear ? targets[i].name : "no clear shape";
}

/// What every head looks at, and what it is called.
void print_heads(Lesson& lesson, const std::string& title, const Trained& model) {
  Probe probe(model.config, model.parameters, model.held_out);
  const std::vector<Watched> heads = watch(probe);
  const std::vector<HeadLook> src = measure_heads(probe).heads;
  const Bar bar = bar_of(model), src_bar = fresh_reach(model.config, model.held_out, 1);
  bool agree = true;
  double margin = 0;
  fmt::print("\n--- {} ---\nhead, entropy ", title);
  for (const Target& target : targets) fmt::print(" | {:>5}", target.name);
  fmt::print(" | name, reach\n");
  Numbers even, most;
  for (std::size_t h = 0; h < heads.size(); h++) {
    const Watched& head = heads[h];
    const double entropy = estimate(head.entropies).mean;
    const std::string name = name_of(head, bar);
    agree = agree && std::abs(entropy - src[h].entropy.value) < 1e-9 && name == shape_of(src[h], src_bar);
    Numbers values;
    for (std::size_t i = 0; i < targets.size(); i++) {
      const Mass mass = head.mass(i);
      values.push_back(mass.value);
      if (h == 0) even.push_back(mass.even), most.push_back(mass.most);  // the same for all heads
      margin = std::max(margin, head.margin(i));
      agree = agree && std::abs(reach(mass) - src[h].reach(static_cast<Place>(i))) < 1e-9;
    }
    print_row(fmt::format("{}:{}  {:.2f}", head.id.layer, head.id.head, entropy), values,
              fmt::format(" | {} {:.2f}", name, reach(head.mass(favourite(head)))));
  }
  print_row("even", even);
  print_row("most", most);
  print_row("fresh, reach", bar);
  fmt::print("all margins are below {:.2f}\n", std::ceil(100 * margin) / 100);
  lesson.check(title + ": entropy, reach and name of every head are those of src/heads/heads.h", agree);
}

/// One head, and a target of your own.
void ask(const Trained& model, HeadId id, const Target& target) {
  Probe probe(model.config, model.parameters, model.held_out);
  const Mass mass = watch(probe, {target})[id.layer * model.config.n_head + id.head].mass(0);
  fmt::print("{}:{} on {}: {:.3f}, even {:.3f}, most {:.3f}, reach {:.2f}\n", id.layer, id.head, target.name,
             mass.value, mass.even, mass.most, reach(mass));
}

/// The last vowel before position t, in names.
bool is_last_vowel(Tokens x, std::size_t t, std::size_t s) {
  auto is_vowel = [](Token token) { return std::string("aeiou").find(static_cast<char>('a' + token)) < 5; };
  while (t > 0 && !is_vowel(x[t - 1])) t--;
  return s + 1 == t;
}

/// A model of two layers with four heads each, after 1000 steps of 16 documents. Positions are rotated (lesson 17), or
/// stand in a table.
Trained learn(const std::vector<Document>& documents, std::span<const Document> held_out, bool rope,
              std::uint64_t seed) {
  const Config config{.n_layer = 2, .n_embd = 32, .n_head = 4, .rope = rope};
  return train({.model = config, .train = {.num_steps = 1000, .batch_size = 16}, .rounded = true}, documents, held_out,
               seed);
}

/// It learns fabdhf=abd: different letters, one of them again, and then what followed it before.
Trained induction_model(bool rope, std::uint64_t seed) {
  PythonRandom random(1);
  const std::vector<Document> documents = draw_documents({TaskName::induction}, Part::training, 20000, random);
  return learn(documents, draw_documents({TaskName::induction}, Part::held_out, 300, random), rope, seed);
}

/// A copy of the weights, with zeros in the columns of W_O that read these heads.
Parameters silent(const Trained& model, const std::vector<HeadId>& heads) {
  Parameters copy(gpt_shapes(model.config));
  std::copy(model.parameters.data().begin(), model.parameters.data().end(), copy.data().begin());
  silence(copy, heads, model.config);
  return copy;
}

/// The maps of all heads at a text, without those of `out`.
std::vector<TitledGrid> maps_at(const Trained& model, const std::u32string& text, const std::vector<HeadId>& out = {}) {
  return head_maps(model.config, silent(model, out), model.tokenizer.encode_document(text), model.tokenizer);
}

/// How well a model does without some of its heads, and how much the heads `seen` then have on induction.
void print_without(const Trained& model, const std::vector<std::vector<HeadId>>& sets,
                   const std::vector<std::size_t>& seen) {
  constexpr std::size_t induction = 4;
  Probe probe(model.config, model.parameters, model.held_out);
  const Scores whole = probe.scores();
  for (const std::vector<HeadId>& out : sets) {
    std::string label;
    for (const HeadId& id : out) label += fmt::format("{}:{} ", id.layer, id.head);
    probe.use(silent(model, out));
    const Scores scores = probe.scores();
    const Change loss = change(whole.losses, scores.losses);
    fmt::print("{:8} | {:5.1f} % | {:+.3f} +- {:.3f}", label.empty() ? "none" : label,
               100 * estimate(scores.accuracies).mean, loss.mean, 2 * loss.standard_error);
    const std::vector<Watched> heads = watch(probe);
    for (const std::size_t h : seen) fmt::print(" | {:.2f}", heads[h].mass(induction).value);
    fmt::print("\n");
  }
}

/// Ten induction models: what their heads are called, and how many points of accuracy are lost without each.
void print_ten_models(bool rope) {
  constexpr std::size_t previous = 1;
  std::size_t clear = 0, idle = 0, needed = 0;
  fmt::print("\n--- induction, {} ---\nseed | right   | reach one back, layer 0 | named heads, points lost\n",
             rope ? "rotated positions" : "a table of positions");
  for (std::uint64_t seed = 1; seed <= 10; seed++) {
    const Trained model = induction_model(rope, seed);
    const Bar bar = bar_of(model);
    Probe probe(model.config, model.parameters, model.held_out);
    const std::vector<Watched> heads = watch(probe);
    const Scores whole = probe.scores();
    fmt::print("{:4} | {:5.1f} % |", seed, 100 * estimate(whole.accuracies).mean);
    for (std::size_t h = 0; h < 4; h++) fmt::print(" {:5.2f}", reach(heads[h].mass(previous)));
    fmt::print(" |");
    for (const Watched& head : heads) {
      const Scores without = probe.scores(silenced({&head.id, 1}, model.config));
      const double lost = 100 * change(without.accuracies, whole.accuracies).mean;
      const std::string name = name_of(head, bar);
      const bool is_clear = name != "no clear shape";
      clear += is_clear ? 1 : 0;
      idle += is_clear && lost < 1 ? 1 : 0;
      needed += !is_clear && lost > 10 ? 1 : 0;
      if (is_clear) fmt::print(" {}:{} {} {:.0f};", head.id.layer, head.id.head, name, std::round(lost) + 0.0);
    }
    fmt::print("\n");
  }
  fmt::print("of 80 heads {} have a clear shape, and {} of these cost less than a point\n", clear, idle);
  fmt::print("{} have none, and {} of these cost more than ten\n", 80 - clear, needed);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // A head at the name aria, with weights that can be added by hand.
  const double rows[5][5]{{1}, {0.5, 0.5}, {0, 1}, {0, 0, 1}, {0, 0, 1}};
  const View<const double> weights{rows[0], 5, 5, 5};
  const std::vector<Token> aria = lesson.tokenizer.encode_document(U"aria");
  Watched by_hand{{0, 0}, {entropy_of(weights)}};
  std::vector<TitledGrid> places;
  fmt::print("\n--- a head on paper, at aria: entropy {:.2f} ---\n", by_hand.entropies[0]);
  for (std::size_t i = 0; i < targets.size(); i++) {
    const Mass mass = mass_on(targets[i], weights, aria);
    by_hand.masses[i].push_back(mass);
    fmt::print("{:14} | value {:.3f} | even {:.3f} | most {:.1f} | reach {:5.2f}\n", targets[i].name, mass.value,
               mass.even, mass.most, reach(mass));
    Grid& map = places.emplace_back(targets[i].name, Grid{}).second;
    for (std::size_t t = 0; t < 5; t++) {
      map.rows.emplace_back();
      for (std::size_t s = 0; s <= t; s++) map.rows[t].push_back(targets[i].is_at(aria, t, s) ? 1 : 0.2);
    }
  }
  fmt::print("its name: {}\n", name_of(by_hand, {}));
  lesson.picture("21_targets.svg", draw_targets(places));

  // A model of names: one of its heads at two names, then all of them at 500.
  const Trained names = learn(lesson.split().training, std::span(lesson.split().held_out).first(500), true, 1);
  for (const std::u32string name : {U"emma", U"isabella"}) {
    fmt::print("\nhead 0:1\n{}", shades(maps_at(names, name)[1].second));
  }
  const std::vector<TitledGrid> isabella = maps_at(names, U"isabella");
  lesson.picture("21_names.svg", gallery("Eight heads read isabella", isabella, 4));
  print_heads(lesson, "names", names);

  // What heads reach whose weights were drawn larger; and how much larger this model's weights have become.
  for (const int times : {2, 4}) print_row(fmt::format("{} times larger", times), bar_of(names, 0.08 * times));
  const Parameter& w_q = names.parameters["layer0.attn_wq"];
  const double mean_square =
      std::inner_product(w_q.data, w_q.data + w_q.size(), w_q.data, 0.0) / static_cast<double>(w_q.size());
  fmt::print("W_Q of layer 0, trained: {:.1f} times larger\n", std::sqrt(mean_square) / 0.08);
  ask(names, {0, 2}, {"the last vowel", is_last_vowel});

  // A model of the task, with rotated positions, from seed 2. Its token 0 is =.
  const Trained induction = induction_model(true, 2);
  print_heads(lesson, "induction", induction);
  ask(induction, {0, 1}, {"=", [](Tokens x, std::size_t, std::size_t s) { return x[s] == 0; }});

  // Two of its heads look one back, and two find what followed. The maps of all, and of 1:1 without its helpers.
  const std::vector<HeadId> helpers{{0, 0}, {0, 2}}, finders{{1, 1}, {1, 3}};
  const std::u32string text = U"fabdhf=abd";
  const std::vector<TitledGrid> whole = maps_at(induction, text), without_one = maps_at(induction, text, {helpers[0]}),
                                without_both = maps_at(induction, text, helpers);
  lesson.picture("21_induction.svg", gallery("Eight heads read fabdhf=abd: 1:1 and 1:3 find what followed", whole, 4));
  lesson.picture("21_blinded.svg", draw_blinded(whole[5], without_one[5], without_both[5]));  // 5 is 1:1

  // The induction model without each head, and without its helpers and its finders.
  std::vector<std::vector<HeadId>> sets{{}};
  for (const HeadId id : all_heads(names.config)) sets.push_back({id});
  sets.insert(sets.end(), {helpers, finders});
  fmt::print("\n--- induction ---\nwithout  | right   | loss grows by   | 1:1  | 1:3 on induction\n");
  print_without(induction, sets, {5, 7});  // 7 is 1:3
  fmt::print("\n");

  if (std::getenv("LONG") != nullptr) {
    print_ten_models(true);
    print_ten_models(false);
    fmt::print("\n");
  }
  return lesson.finish();
}
