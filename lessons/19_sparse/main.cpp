// Lesson 19: sparse attention. A position need not see all that came before it: a window may do, or every third
// position, or a few that everybody sees. Then most pairs of a query and a key cost nothing, if they are skipped and
// not computed and hidden. Of what a position does not see it may still hear, through others, layer by layer.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "compare.h"
#include "draft.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"

using namespace microgpt;
using namespace lesson15;

bool lost, late, by_key;  // what --break does wrong

/// Which keys each of T queries sees, in increasing order.
Keys visible_keys(const MaskPattern& p, std::size_t T) {
  PythonRandom random;
  Keys keys(T);
  for (std::size_t t = 0; t < T; t++) {
    std::vector<std::size_t> others;
    for (std::size_t s = 0; s <= t; s++) {
      const bool near = p.block > 0 ? s / p.block == t / p.block : t - s < p.window;
      const bool far = s < p.n_global || (p.stride > 0 && (t - s) % p.stride == 0);
      (near || far ? keys[t] : others).push_back(s);
    }
    random.shuffle(others);
    others.resize(std::min(others.size(), p.n_random));
    keys[t].insert(keys[t].end(), others.begin(), others.end());
    std::sort(keys[t].begin(), keys[t].end());
  }
  return keys;
}

/// One number for each key; those of keys that query t does not see become `hidden`.
std::vector<double> masked(std::vector<double> numbers, double hidden, const Keys& seen, std::size_t t) {
  for (std::size_t s = 0; s < numbers.size(); s++) {
    if (s > t || !is_among(seen[by_key ? s : t], s)) numbers[s] = hidden;
  }
  return numbers;
}

/// out (T,D) and the weights, from q, k and v, (T,D).
void draft_forward(Draft& a) {
  const View<double> q = a.q.view(), k = a.k.view(), v = a.v.view(), out = a.out.view();
  set_zero(out);
  a.weights.clear();
  for (std::size_t t = 0; t < q.rows; t++) {
    std::vector<double> scores;
    for (const std::size_t s : a.visited[t])
      scores.push_back(a.scale * dot(q.row(t), k.row(s), q.cols));  // stop: score
    if (a.mask && lost) masked(scores, -INFINITY, *a.mask, t);      // makes the right scores: who takes them?
    if (a.mask && !lost && !late) scores = masked(scores, -INFINITY, *a.mask, t);
    a.weights.push_back(softmax(scores));
    if (a.mask && late) a.weights[t] = masked(a.weights[t], 0, *a.mask, t);
    for (std::size_t i = 0; i < scores.size(); i++) add(out.row(t), a.weights[t][i], v.row(a.visited[t][i]), v.cols);
  }
}

/// dq, dk and dv from dout, all (T,D), and the weights.
void draft_backward(Draft& a) {
  const View<double> q = a.q.view(), k = a.k.view(), v = a.v.view(), dout = a.dout.view();
  const View<double> dq = a.dq.view(), dk = a.dk.view(), dv = a.dv.view();
  for (const View<double> gradient : {dq, dk, dv}) set_zero(gradient);
  for (std::size_t t = 0; t < q.rows; t++) {
    const std::vector<double>& weights = a.weights[t];
    std::vector<double> dweights;
    for (const std::size_t s : a.visited[t]) dweights.push_back(dot(dout.row(t), v.row(s), v.cols));
    const double mean = dot(weights.data(), dweights.data(), weights.size());
    for (std::size_t i = 0; i < weights.size(); i++) {
      const std::size_t s = a.visited[t][i];
      const double dscore = weights[i] * (dweights[i] - mean) * a.scale;
      add(dq.row(t), dscore, k.row(s), k.cols);
      add(dk.row(s), dscore, q.row(t), q.cols);  // stop: dk
      add(dv.row(s), weights[i], dout.row(t), v.cols);
    }
  }
}

/// How many layers it takes until position t has heard of position s, [t][s]; `never` if it never does.
Layers layers_needed(const Keys& keys) {
  Layers layers;
  for (std::size_t t = 0; t < keys.size(); t++) {
    layers.emplace_back(t + 1, never);
    for (const std::size_t u : keys[t]) {
      layers[t][u] = 1;                               // stop: sees
      for (std::size_t s = 0; s < u && u < t; s++) {  // what u has heard of, t hears of in the layer after
        if (layers[u][s] != never) layers[t][s] = std::min(layers[t][s], layers[u][s] + 1);
      }
    }
  }
  return layers;
}

/// Forward and backward. Returns how many products that took.
std::size_t run(Draft& a) {
  products = 0;
  draft_forward(a);
  draft_backward(a);
  return products;
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  lost = lesson.broken("lost");
  late = lesson.broken("late");
  by_key = lesson.broken("by-key");
  const auto patterns = parse({"full", lesson.broken("window-0") ? "local:0" : "local:3", "strided:2:3", "global:2:1",
                               "random:1", "bigbird:2:1:1", "block:3"});

  fmt::print("\n--- who sees whom: ██ sees it; ▓▓ hears of it in layer 2, ▒▒ in layer 3, ░░ later; blank: never ---\n");
  show(lesson, patterns, visible_keys, layers_needed);
  lesson.check("models of 1, 2 and 3 layers hear of that and no more",
               all_hear(patterns, lesson.random, layers_needed));

  fmt::print("\n--- the draft beside naive() and fast() of src/tensor/kernels.h: 100 positions ---\n");
  lesson.check("the patterns are those of src/", are_patterns(patterns, visible_keys));
  for (const MaskPattern& p : patterns) {
    const Keys seen = visible_keys(p, 100);
    for (Draft draft : {skipping(seen), masking(seen)}) {
      draft.draw(lesson.random, 1);
      run(draft);
      lesson.check(mask_spec(p) + (draft.mask ? ", masking" : ", skipping"), is_src(draft, p, seen, lesson.random));
      if (p == patterns[1] && draft.mask) check_mask(lesson, draft, draft_forward);
    }
  }
  fmt::print("\n--- products of forward and backward, skipping ---\n");
  print_table("positions", {64, 128, 256}, patterns, [](const MaskPattern& p, std::size_t T) {
    Draft draft = skipping(visible_keys(p, T));
    return run(draft);
  });
  Draft draft = masking(visible_keys({}, 256));
  fmt::print("masking, whatever the mask, 256 positions: {}\n", run(draft));
  fmt::print("\n--- trained ---\n");
  train(lesson, {"full", "local:1", "local:2", "local:3", "strided:2:3", "bigbird:2:1:1", "block:3"},
        comparison_budget);
  if (std::getenv("LONG") != nullptr) train(lesson, {"full", "local:2", "local:3"}, longer);
  if (Lesson::timed()) show_times();
  return lesson.finish();
} catch (const Error& error) {
  fmt::print(stderr, "lesson: {}\n", error.what());
  return 1;
}
