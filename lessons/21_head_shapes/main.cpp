// Lesson 21: what heads look at. A map of one name invites a guess. Here it becomes a measurement, over many documents,
// beside what a head does that does not care, and what fresh weights do by accident. Then heads are silenced.
#include <algorithm>
#include <array>
#include <string>

#include "show.h"

namespace lesson21 {

/// Five places to look.
const std::array<Target, num_targets> targets{
    {{"self", [](Tokens, std::size_t t, std::size_t s) { return s == t; }},
     {"previous token", [](Tokens, std::size_t t, std::size_t s) { return s + 1 == t; }},
     {"BOS", [](Tokens, std::size_t, std::size_t s) { return s == 0; }},
     {"equal letter", [](Tokens x, std::size_t t, std::size_t s) { return s < t && x[s] == x[t]; }},
     {"induction", [](Tokens x, std::size_t t, std::size_t s) { return s > 0 && x[s - 1] == x[t]; }}}};

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

/// The largest reach of any head in 40 models with freshly drawn weights, on a hundred documents.
Bar bar_of(const Trained& model, double init_std) {
  Bar bar{};
  Probe probe = a_hundred_of(model);
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

}  // namespace lesson21

int main(int argc, char** argv) {
  using namespace lesson21;
  Lesson lesson(argc, argv);
  show_aria(lesson);

  const Trained names = learn(lesson.split().training, std::span(lesson.split().held_out).first(500), true, 1);
  draw_names(lesson, names);
  show_heads(lesson, "names", names);
  show_larger_bars(names);
  ask(names, {0, 2}, {"the last vowel", is_last_vowel});

  const Trained word = induction_model(true, 2);
  show_heads(lesson, "induction", word);
  ask(word, {0, 1}, {"=", is_equals_sign});
  draw_induction(lesson, word);
  show_silenced(names, word);
  if (is_long()) show_seeds();
  return lesson.finish();
}
