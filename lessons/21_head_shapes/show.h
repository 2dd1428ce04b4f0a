// What lesson 21 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "heads/gallery.h"
#include "heads/heads.h"
#include "heads/importance.h"
#include "lesson/lesson.h"
#include "models.h"
#include "train/evaluation.h"
#include "watched.h"

namespace lesson21 {

using Bar = std::array<double, num_targets>;

// --- The functions of main.cpp ---------------------------------------------------------------------------------------

extern const std::array<Target, num_targets> targets;
Mass mass_on(const Target& target, View<const double> weights, Tokens x);
double reach(const Mass& mass);
Bar bar_of(const Trained& model, double init_std = 0.08);
std::size_t favourite(const Watched& head);
std::string name_of(const Watched& head, const Bar& bar);

/// All heads of a model, layer by layer, on all documents.
inline std::vector<Watched> watch(Probe& probe) {
  std::vector<Watched> heads;
  for (const HeadId id : all_heads(probe.config())) heads.push_back({id});
  each_map(probe, [&](std::size_t h, Tokens x, View<const double> weights) {
    heads[h].entropies.push_back(entropy_of(weights));
    for (std::size_t i = 0; i < targets.size(); i++) heads[h].masses[i].push_back(mass_on(targets[i], weights, x));
  });
  return heads;
}

// --- On paper --------------------------------------------------------------------------------------------------------

/// At aria: dark where position t finds the target, pale what it sees besides.
inline TitledGrid target_map(const Target& target, Tokens aria) {
  const std::vector<std::string> letters{".", "a", "r", "i", "a"};
  TitledGrid map{target.name, {letters, letters, {}}};
  for (std::size_t t = 0; t < letters.size(); t++) {
    map.second.rows.emplace_back();
    for (std::size_t s = 0; s <= t; s++) map.second.rows[t].push_back(target.is_at(aria, t, s) ? 1 : 0.2);
  }
  return map;
}

/// A head at the name aria, with weights that can be added by hand. A picture shows where the targets are.
inline void show_aria(const Lesson& lesson) {
  const double rows[5][5]{{1}, {0.5, 0.5}, {0, 1}, {0, 0, 1}, {0, 0, 1}};
  const View<const double> weights{rows[0], 5, 5, 5};
  const std::vector<Token> aria = lesson.tokenizer.encode_document(U"aria");
  Watched head{{0, 0}, {entropy_of(weights)}};
  std::vector<TitledGrid> maps;
  fmt::print("\n--- a head on paper, at aria: entropy {:.2f} ---\n", head.entropies[0]);
  for (std::size_t i = 0; i < targets.size(); i++) {
    const Mass mass = mass_on(targets[i], weights, aria);
    head.masses[i].push_back(mass);
    fmt::print("{:14} | value {:.3f} | even {:.3f} | most {:.1f} | reach {:5.2f}\n", targets[i].name, mass.value,
               mass.even, mass.most, reach(mass));
    maps.push_back(target_map(targets[i], aria));
  }
  fmt::print("its name: {}\n", name_of(head, {}));
  lesson.picture("21_targets.svg",
                 heat_maps("Five targets at aria: the last two exist only where a letter comes again", {maps},
                           "Row: who looks; column: at whom. Dark: the target; pale: what is seen besides."));
}

// --- Trained models --------------------------------------------------------------------------------------------------

/// The head of the question, at two names, and all heads at one.
inline void draw_names(const Lesson& lesson, const Trained& names) {
  for (const std::u32string name : {U"emma", U"isabella"}) {
    fmt::print("\nhead 0:1\n{}", shades(maps_at(names, name)[1].second));
  }
  lesson.picture("21_names.svg", gallery("Eight heads read isabella", maps_at(names, U"isabella"), 4));
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

/// Whether a head and its name are those that src/heads/heads.h finds.
inline bool agrees(const Watched& head, const std::string& name, const HeadLook& src, const Bar& src_bar) {
  bool agree = std::abs(estimate(head.entropies).mean - src.entropy.value) < 1e-9 && name == shape_of(src, src_bar);
  for (std::size_t i = 0; i < targets.size(); i++) {
    agree = agree && std::abs(reach(head.mass(i)) - src.reach(static_cast<Place>(i))) < 1e-9;
  }
  return agree;
}

/// What every head looks at, and what it is called.
inline void show_heads(Lesson& lesson, const std::string& title, const Trained& model) {
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
    const Watched& head = heads[h];
    const std::string name = name_of(head, bar);
    show_row(
        fmt::format("{}:{}  {:.2f}", head.id.layer, head.id.head, estimate(head.entropies).mean),
        [&](std::size_t i) { return head.mass(i).value; },
        fmt::format(" | {} {:.2f}", name, reach(head.mass(favourite(head)))));
    agree = agree && agrees(head, name, src[h], src_bar);
    for (std::size_t i = 0; i < targets.size(); i++) margin = std::max(margin, head.margin(i));
  }
  show_row("even", [&](std::size_t i) { return heads[0].mass(i).even; });
  show_row("most", [&](std::size_t i) { return heads[0].mass(i).most; });
  show_row("fresh, reach", [&](std::size_t i) { return bar[i]; });
  fmt::print("all margins are below {:.2f}\n", std::ceil(100 * margin) / 100);
  lesson.check(title + ": entropy, reach and name of every head are those of src/heads/heads.h", agree);
}

/// What heads reach whose weights were drawn larger; and how much larger this model's weights have become.
inline void show_larger_bars(const Trained& model) {
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
inline void ask(const Trained& model, HeadId id, const Target& target) {
  Probe probe(model.config, model.parameters, model.held_out);
  Watched head{id};
  each_map(probe, [&](std::size_t h, Tokens x, View<const double> weights) {
    if (h == id.layer * model.config.n_head + id.head) head.masses[0].push_back(mass_on(target, weights, x));
  });
  const Mass mass = head.mass(0);
  fmt::print("{}:{} on {}: {:.3f}, even {:.3f}, most {:.3f}, reach {:.2f}\n", id.layer, id.head, target.name,
             mass.value, mass.even, mass.most, reach(mass));
}

/// The last vowel before position t, in names.
inline bool is_last_vowel(Tokens x, std::size_t t, std::size_t s) {
  auto is_vowel = [](Token token) { return std::string("aeiou").find(static_cast<char>('a' + token)) < 5; };
  while (t > 0 && !is_vowel(x[t - 1])) t--;
  return s + 1 == t;
}

/// In the task's words, = comes before a.
inline bool is_equals_sign(Tokens x, std::size_t /* t */, std::size_t s) { return x[s] == 0; }

/// Of the induction model: the heads that look one back, and those that find what followed.
inline const std::vector<HeadId> helpers{{0, 0}, {0, 2}}, finders{{1, 1}, {1, 3}};

/// The maps of the induction model, and those of head 1:1 without its helpers.
inline void draw_induction(const Lesson& lesson, const Trained& model) {
  const std::u32string text = U"fabdhf=abd";
  std::vector<TitledGrid> maps{maps_at(model, text)[5], maps_at(model, text, {helpers[0]})[5],
                               maps_at(model, text, helpers)[5]};
  maps[1].first = "without 0:0";
  maps[2].first = "without 0:0 and 0:2";
  lesson.picture("21_induction.svg",
                 gallery("Eight heads read fabdhf=abd: 1:1 and 1:3 find what followed", maps_at(model, text), 4));
  lesson.picture("21_blinded.svg", gallery("Without the heads that look one back, 1:1 finds less and less", maps, 4));
}

// --- Silence ---------------------------------------------------------------------------------------------------------

/// How well a model does without some of its heads, and how much the heads `seen` then have on induction.
inline void show_without(const Trained& model, const std::vector<std::vector<HeadId>>& sets,
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

/// Both models without each head, and the induction model without its helpers and its finders.
inline void show_silenced(const Trained& names, const Trained& word) {
  std::vector<std::vector<HeadId>> sets{{}};
  for (const HeadId id : all_heads(names.config)) sets.push_back({id});
  fmt::print("\n--- names ---\nwithout  | right   | loss grows by\n");
  show_without(names, sets, {});
  sets.insert(sets.end(), {helpers, finders});
  fmt::print("\n--- induction ---\nwithout  | right   | loss grows by   | 1:1  | 1:3 on induction\n");
  show_without(word, sets, {5, 7});
  fmt::print("\n");
}

// --- With LONG=1 -----------------------------------------------------------------------------------------------------

inline bool is_long() { return std::getenv("LONG") != nullptr; }

/// Of many models.
struct Tally {
  std::size_t clear = 0, idle = 0, needed = 0;
};

/// What the heads of one model are called, and how many points of accuracy are lost without each.
inline void show_seed(bool rope, std::uint64_t seed, Tally& tally) {
  constexpr std::size_t previous = 1;
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
    tally.clear += is_clear ? 1 : 0;
    tally.idle += is_clear && lost < 1 ? 1 : 0;
    tally.needed += !is_clear && lost > 10 ? 1 : 0;
    if (is_clear) fmt::print(" {}:{} {} {:.0f};", head.id.layer, head.id.head, name, std::round(lost) + 0.0);
  }
  fmt::print("\n");
}

/// Ten induction models with positions rotated, and ten with a table of them.
inline void show_seeds() {
  for (const bool rope : {true, false}) {
    fmt::print("\n--- induction, {} ---\nseed | right   | reach one back, layer 0 | named heads, points lost\n",
               rope ? "rotated positions" : "a table of positions");
    Tally tally;
    for (std::uint64_t seed = 1; seed <= 10; seed++) show_seed(rope, seed, tally);
    fmt::print("of 80 heads {} have a clear shape, and {} of these cost less than a point\n", tally.clear, tally.idle);
    fmt::print("{} have none, and {} of these cost more than ten\n", 80 - tally.clear, tally.needed);
  }
  fmt::print("\n");
}

}  // namespace lesson21
