// Lesson 21: what heads look at. A map of one name invites a guess. Here the guess becomes a measurement: how much of
// its weight a head puts on a target, over many documents, beside what a head puts there that does not care, and what
// fresh weights put there by accident. Then heads are silenced: does a shape say what a head is worth?
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

#include "inspect/gallery.h"
#include "inspect/heads.h"
#include "inspect/importance.h"
#include "lesson/lesson.h"
#include "models.h"
#include "train/evaluation.h"

using namespace lesson21;

/// Somewhere to look from position t: whether position s is such a place. The tokens x begin with BOS.
struct Target {
  const char* name;
  bool (*is_at)(Tokens x, std::size_t t, std::size_t s);
};

constexpr std::array<Target, 5> targets{
    {{"self", [](Tokens, std::size_t t, std::size_t s) { return s == t; }},
     {"previous token", [](Tokens, std::size_t t, std::size_t s) { return s + 1 == t; }},
     {"BOS", [](Tokens, std::size_t, std::size_t s) { return s == 0; }},
     {"equal letter", [](Tokens x, std::size_t t, std::size_t s) { return s < t && x[s] == x[t]; }},
     {"induction", [](Tokens x, std::size_t t, std::size_t s) { return s > 0 && x[s - 1] == x[t]; }}}};
constexpr std::size_t previous = 1, induction = 4;

/// The weight on a target: a mean over rows, or over documents.
struct Mass {
  double value = 0;
  double even = 0;  // of a head that gives all visible positions the same
  double most = 0;  // of a head that looks there whenever it can

  /// How far the value is on the way from the even share to the most possible: 0 at its start, 1 at its end.
  double reach() const { return most > even ? (value - even) / (most - even) : 0; }
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
  std::vector<double> entropies;                              // a number for each document
  std::array<std::vector<Mass>, targets.size()> masses = {};  // [target][document]

  Mass mass(std::size_t target) const {
    auto mean = [&](double Mass::*number) {
      double sum = 0;
      for (const Mass& mass : masses[target]) sum += mass.*number;
      return sum / static_cast<double>(masses[target].size());
    };
    return {mean(&Mass::value), mean(&Mass::even), mean(&Mass::most)};
  }

  /// Two standard errors of what the value is above the even share.
  double margin(std::size_t target) const {
    std::vector<double> above;
    for (const Mass& mass : masses[target]) above.push_back(mass.value - mass.even);
    return 2 * estimate(above).standard_error;
  }

  /// The target of the largest reach.
  std::size_t favourite() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < targets.size(); i++) best = mass(i).reach() > mass(best).reach() ? i : best;
    return best;
  }
};

/// All heads of a model, layer by layer.
std::vector<Watched> watch(Probe& probe) {
  const std::size_t H = probe.config().n_head;
  std::vector<Watched> heads;
  for (const HeadId id : all_heads(probe.config())) heads.push_back({id, {}});
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const Tokens x = probe.documents()[document].tokens;
    const std::size_t n = weights.cols;  // the maps of a layer's heads stand one below the other: (H*n,n)
    for (std::size_t h = 0; h < H; h++) {
      const View<const double> map = weights.slice_rows(h * n, n);
      Watched& head = heads[layer * H + h];
      head.entropies.push_back(entropy_of(map));
      for (std::size_t i = 0; i < targets.size(); i++) {
        head.masses[i].push_back(mass_on(targets[i], map, x));
      }
    }
  });
  return heads;
}

using Bar = std::array<double, targets.size()>;

/// The largest reach of any head in 40 models with freshly drawn weights, on a hundred documents.
Bar bar_of(const Trained& model, double init_std = 0.08) {
  Bar bar{};
  Probe probe(model.config, model.parameters, {model.held_out.begin(), model.held_out.begin() + 100});
  for (std::uint64_t seed = 1; seed <= 40; seed++) {
    PythonRandom random(seed);
    probe.use(initialize(model.config, {.init_std = init_std}, random));
    for (const Watched& head : watch(probe)) {
      for (std::size_t i = 0; i < bar.size(); i++) bar[i] = std::max(bar[i], head.mass(i).reach());
    }
  }
  return bar;
}

/// A head is named after its favourite, if that is clear.
std::string name_of(const Watched& head, const Bar& bar) {
  const std::size_t i = head.favourite();
  const Mass mass = head.mass(i);
  const double above = mass.value - mass.even, margin = head.margin(i);
  const bool is_clear = above > margin && mass.reach() > bar[i] && mass.reach() > 1.0 / 3;  // stop: name
  return is_clear ? targets[i].name : "no clear shape";
}

// --- What is done with it --------------------------------------------------------------------------------------------

/// A head at the name aria, with weights that can be added by hand. A picture shows where the targets are.
void show_aria(const Lesson& lesson) {
  const double rows[5][5]{{1}, {0.5, 0.5}, {0, 1}, {0, 0, 1}, {0, 0, 1}};
  const View<const double> weights{rows[0], 5, 5, 5};
  const std::vector<Token> aria = lesson.tokenizer.encode_document(U"aria");
  const std::vector<std::string> letters{".", "a", "r", "i", "a"};
  Watched head{{0, 0}, {entropy_of(weights)}};
  std::vector<TitledGrid> maps;
  fmt::print("\n--- a head on paper, at aria: entropy {:.2f} ---\n", head.entropies[0]);
  for (std::size_t i = 0; i < targets.size(); i++) {
    const Mass mass = mass_on(targets[i], weights, aria);
    head.masses[i].push_back(mass);
    fmt::print("{:14} | value {:.3f} | even {:.3f} | most {:.1f} | reach {:5.2f}\n", targets[i].name, mass.value,
               mass.even, mass.most, mass.reach());
    maps.emplace_back(targets[i].name, Grid{letters, letters, {}});
    for (std::size_t t = 0; t < 5; t++) {
      maps[i].second.rows.emplace_back();
      for (std::size_t s = 0; s <= t; s++) maps[i].second.rows[t].push_back(targets[i].is_at(aria, t, s) ? 1 : 0.2);
    }
  }
  fmt::print("its name: {}\n", name_of(head, {}));
  lesson.picture("21_targets.svg",
                 heat_maps("Five targets at aria: the last two exist only where a letter comes again", {maps},
                           "Row: who looks; column: at whom. Dark: the target; pale: what is seen besides."));
}

/// A number for each target, below its name.
template <class Number>
void show_row(const std::string& title, Number number, const std::string& end = "") {
  fmt::print("{:14}", title);
  for (std::size_t i = 0; i < targets.size(); i++) {
    fmt::print(" | {:{}.2f}", number(i), std::max<std::size_t>(5, std::strlen(targets[i].name)));
  }
  fmt::print("{}\n", end);
}

/// What every head looks at, and what it is called.
void show_heads(Lesson& lesson, const std::string& title, const Trained& model) {
  Probe probe(model.config, model.parameters, model.held_out);
  const std::vector<Watched> heads = watch(probe);
  const std::vector<HeadLook> src = measure_heads(probe).heads;
  const Bar bar = bar_of(model), src_bar = fresh_reach(model.config, model.held_out, 1);
  bool agree = true;
  double margin = 0;
  fmt::print("\n--- {} ---\nhead, entropy ", title);
  for (const Target& target : targets) fmt::print(" | {:>5}", target.name);
  fmt::print(" | name, reach\n");
  for (std::size_t h = 0; h < heads.size(); h++) {
    const double entropy = estimate(heads[h].entropies).mean;
    const std::string name = name_of(heads[h], bar);
    show_row(
        fmt::format("{}:{}  {:.2f}", heads[h].id.layer, heads[h].id.head, entropy),
        [&](std::size_t i) { return heads[h].mass(i).value; },
        fmt::format(" | {} {:.2f}", name, heads[h].mass(heads[h].favourite()).reach()));
    agree = agree && std::abs(entropy - src[h].entropy.value) < 1e-9 && name == shape_of(src[h], src_bar);
    for (std::size_t i = 0; i < targets.size(); i++) {
      margin = std::max(margin, heads[h].margin(i));
      agree = agree && std::abs(heads[h].mass(i).reach() - src[h].reach(static_cast<Place>(i))) < 1e-9;
    }
  }
  show_row("even", [&](std::size_t i) { return heads[0].mass(i).even; });
  show_row("most", [&](std::size_t i) { return heads[0].mass(i).most; });
  show_row("fresh, reach", [&](std::size_t i) { return bar[i]; });
  fmt::print("all margins are below {:.2f}\n", std::ceil(100 * margin) / 100);
  lesson.check(title + ": entropy, reach and name of every head are those of src/inspect/heads.h", agree);
}

/// What heads reach whose weights were drawn larger; and how much larger this model's weights have become.
void show_larger_bars(const Trained& model) {
  for (const int times : {2, 4}) {
    const Bar bar = bar_of(model, 0.08 * times);
    show_row(fmt::format("{} times larger", times), [&](std::size_t i) { return bar[i]; });
  }
  const Parameter& w_q = model.parameters["layer0.attn_wq"];
  const double mean_square =
      std::inner_product(w_q.data, w_q.data + w_q.size(), w_q.data, 0.0) / static_cast<double>(w_q.size());
  fmt::print("W_Q of layer 0, trained: {:.1f} times larger\n", std::sqrt(mean_square) / 0.08);
}

/// One head, and a target of your own.
void ask(const Trained& model, HeadId id, const Target& target) {
  Probe probe(model.config, model.parameters, model.held_out);
  Watched head{id, {}};
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const View<const double> map = weights.slice_rows(id.head * weights.cols, weights.cols);
    if (layer == id.layer) head.masses[0].push_back(mass_on(target, map, probe.documents()[document].tokens));
  });
  const Mass mass = head.mass(0);
  fmt::print("{}:{} on {}: {:.3f}, even {:.3f}, most {:.3f}, reach {:.2f}\n", id.layer, id.head, target.name,
             mass.value, mass.even, mass.most, mass.reach());
}

/// The last vowel before position t, in names.
bool is_last_vowel(Tokens x, std::size_t t, std::size_t s) {
  auto is_vowel = [](Token token) { return std::string("aeiou").find(static_cast<char>('a' + token)) < 5; };
  while (t > 0 && !is_vowel(x[t - 1])) t--;
  return s + 1 == t;
}

/// How well a model does without some of its heads, and how much the heads in `watched` then have on induction.
void show_silenced(const Trained& model, const std::vector<std::vector<HeadId>>& sets,
                   const std::vector<std::size_t>& watched) {
  Probe probe(model.config, model.parameters, model.held_out);
  const Scores whole = probe.scores();
  for (const std::vector<HeadId>& out : sets) {
    std::string label;
    for (const HeadId& id : out) label += fmt::format("{}:{} ", id.layer, id.head);
    probe.use(silent(model, out));
    const Scores scores = probe.scores();
    const Change loss = change(whole.losses, scores.losses);
    fmt::print("{:8} | {:5.1f} % | {:+.3f} +- {:.3f}", label.empty() ? "nobody" : label,
               100 * estimate(scores.accuracies).mean, loss.mean, 2 * loss.standard_error);
    const std::vector<Watched> heads = watch(probe);
    for (const std::size_t h : watched) fmt::print(" | {:.2f}", heads[h].mass(induction).value);
    fmt::print("\n");
  }
}

/// With LONG=1: what the heads of ten models are called, and how many points of accuracy are lost without each.
void show_seeds(const std::string& title, bool rope) {
  fmt::print("\n--- induction, {} ---\nseed | right   | reach one back, layer 0 | named heads, points lost\n", title);
  std::size_t clear = 0, idle = 0, needed = 0;
  for (std::uint64_t seed = 1; seed <= 10; seed++) {
    const Trained model = induction_model(rope, seed);
    const Bar bar = bar_of(model);
    Probe probe(model.config, model.parameters, model.held_out);
    const std::vector<Watched> heads = watch(probe);
    const Scores whole = probe.scores();
    fmt::print("{:4} | {:5.1f} % |", seed, 100 * estimate(whole.accuracies).mean);
    for (std::size_t h = 0; h < 4; h++) fmt::print(" {:5.2f}", heads[h].mass(previous).reach());
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

/// The maps of the induction model, and those of head 1:1 when it is alone.
void draw_induction(const Lesson& lesson, const Trained& model, const std::vector<HeadId>& helpers) {
  const std::u32string text = U"fabdhf=abd";
  std::vector<TitledGrid> maps{maps_at(model, text)[5], maps_at(model, text, {helpers[0]})[5],
                               maps_at(model, text, helpers)[5]};
  maps[1].first = "without 0:0";
  maps[2].first = "without 0:0 and 0:2";
  lesson.picture("21_induction.svg",
                 gallery("Eight heads read fabdhf=abd: 1:1 and 1:3 find what followed", maps_at(model, text), 4));
  lesson.picture("21_blinded.svg", gallery("Without the heads that look one back, 1:1 finds less and less", maps, 4));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_aria(lesson);

  const Trained names = learn(lesson.split().training, std::span(lesson.split().held_out).first(500), true, 1);
  for (const std::u32string name : {U"emma", U"isabella"}) {
    fmt::print("\nhead 0:1\n{}", shades(maps_at(names, name)[1].second));
  }
  lesson.picture("21_names.svg", gallery("Eight heads read isabella", maps_at(names, U"isabella"), 4));
  show_heads(lesson, "names", names);
  show_larger_bars(names);
  ask(names, {0, 2}, {"the last vowel", is_last_vowel});

  const Trained word = induction_model(true, 2);
  const std::vector<HeadId> helpers{{0, 0}, {0, 2}}, finders{{1, 1}, {1, 3}};
  show_heads(lesson, "induction", word);
  ask(word, {0, 1}, {"=", [](Tokens x, std::size_t, std::size_t s) { return x[s] == 0; }});  // = comes before a
  draw_induction(lesson, word, helpers);

  std::vector<std::vector<HeadId>> sets{{}};
  for (const HeadId id : all_heads(names.config)) sets.push_back({id});
  fmt::print("\n--- names ---\nwithout  | right   | loss grows by\n");
  show_silenced(names, sets, {});
  sets.insert(sets.end(), {helpers, finders});
  fmt::print("\n--- induction ---\nwithout  | right   | loss grows by   | 1:1  | 1:3 on induction\n");
  show_silenced(word, sets, {5, 7});
  if (std::getenv("LONG") != nullptr) {
    show_seeds("rotated positions", true);
    show_seeds("a table of positions", false);
  }
  fmt::print("\n");
  return lesson.finish();
}
