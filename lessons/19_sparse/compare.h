// What the draft is compared with: src/tensor with the same mask, and a model that hears what the draft says it can;
// and how both are shown.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/mask_pattern.h"
#include "draft.h"
#include "inspect/bench.h"
#include "inspect/plot.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "tensor/gpt.h"

namespace lesson15 {

inline std::vector<MaskPattern> parse(const std::vector<std::string>& specs) {
  std::vector<MaskPattern> patterns;
  for (const std::string& spec : specs) patterns.push_back(parse_mask_pattern(spec));
  return patterns;
}

// --- Who sees whom ---------------------------------------------------------------------------------------------------

/// A row for each n, a column for each pattern.
template <class Number>
void print_table(const std::string& first, std::initializer_list<std::size_t> rows,
                 const std::vector<MaskPattern>& patterns, Number number) {
  fmt::print("{}", first);
  for (const MaskPattern& p : patterns) fmt::print(" | {:>13}", mask_spec(p));
  for (const std::size_t n : rows) {
    fmt::print("\n{:{}}", n, first.size());
    for (const MaskPattern& p : patterns) fmt::print(" | {:13}", number(p, n));
  }
  fmt::print("\n");
}

/// How many layers it takes to hear of whom, for the letters of the lesson's first name: dark is 1, then come 2, 3, and
/// more, and none is never. And how many positions the last of 64 has heard of.
template <class VisibleKeys, class LayersNeeded>
void show(const Lesson& lesson, const std::vector<MaskPattern>& patterns, VisibleKeys visible_keys,
          LayersNeeded layers_needed) {
  std::vector<std::string> letters{"."};
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  for (std::size_t t = 1; t + 1 < tokens.size(); t++) letters.push_back(lesson.tokenizer.decode({&tokens[t], 1}));
  std::vector<TitledGrid> grids;
  for (const MaskPattern& p : patterns) {
    Grid grid{.row_labels = letters, .col_labels = letters, .rows = {}, .darkest = 4};
    for (const auto& row : layers_needed(visible_keys(p, letters.size()))) {
      std::vector<double>& shades = grid.rows.emplace_back();
      for (const std::size_t n : row) shades.push_back(n == never ? 0 : 5 - std::min(static_cast<double>(n), 4.0));
    }
    grids.emplace_back(mask_spec(p), grid);
  }
  for (std::size_t i = 0; i < grids.size(); i += 4) {
    const std::size_t n = std::min<std::size_t>(4, grids.size() - i);
    fmt::print("{}", shades(std::vector(grids.begin() + i, grids.begin() + i + n)));
  }
  lesson.picture("19_patterns.svg", heat_maps(grids));
  fmt::print("\n--- how many positions the last of 64 has heard of ---\n");
  print_table("layers", {1, 2, 3, 4, 8, 16, 32}, patterns, [&](const MaskPattern& p, std::size_t n) {
    const auto of_last = layers_needed(visible_keys(p, 64))[63];
    return std::count_if(of_last.begin(), of_last.end(), [&](auto layers) { return layers <= n; });
  });
  fmt::print("through 32 layers with a window of 4096: {}\n", 32 * (4096 - 1) + 1);
}

// --- The kernels of src ----------------------------------------------------------------------------------------------

/// The keys that each of T queries sees through a mask.
inline Keys keys_of(const Mask& mask, std::size_t T) {
  Keys keys(T);
  for (std::size_t t = 0; t < T; t++) {
    for (std::size_t s = 0; s < T; s++) {
      if (mask.allows(t, s)) keys[t].push_back(s);
    }
  }
  return keys;
}

/// Whether the keys that the draft lets see are those of src/tensor/mask.h; of random ones, whether they are as many.
template <class VisibleKeys>
bool are_patterns(const std::vector<MaskPattern>& patterns, VisibleKeys visible_keys) {
  constexpr std::size_t T = 100;
  return std::all_of(patterns.begin(), patterns.end(), [&](const MaskPattern& p) {
    const Keys keys = visible_keys(p, T);
    const Keys expected = keys_of(Mask::of(p, T), T);
    if (p.n_random == 0) return keys == expected;
    auto same_size = [](const auto& a, const auto& b) { return a.size() == b.size(); };
    return std::equal(keys.begin(), keys.end(), expected.begin(), expected.end(), same_size);
  });
}

/// Some dozens of roundings, of at most 1.1e-16 each: see lesson 14.
constexpr double tolerance = 1e-12;

/// Whether naive() and fast() make the same of the same random numbers, with a mask that shows these keys.
inline bool is_src(const Draft& draft, const MaskPattern& pattern, const Keys& keys, const PythonRandom& random) {
  const std::size_t T = keys.size();
  auto sees = [&](std::size_t t, std::size_t s) { return is_among(keys[t], s); };
  const Mask mask = pattern.n_random == 0 ? Mask::of(pattern, T) : Mask::table(T, T, sees);
  bool same = true;
  for (const Kernels<double>* kernels : {&naive<double>(), &fast<double>()}) {
    OneHead<double> src(T, 16);
    src.draw(random, 1);
    src.forward(kernels->attention_forward, mask);
    src.backward(kernels->attention_backward, mask);
    using Head = OneHead<double>;
    for (auto result : {&Head::out, &Head::dq, &Head::dk, &Head::dv}) {
      same = same && agree((draft.*result).view(), (src.*result).view(), tolerance);
    }
  }
  return same;
}

/// What holds for any mask. Forward is what made the draft's output.
template <class Forward>
void check_mask(Lesson& lesson, const Draft& draft, Forward forward) {
  auto sum_to_1 = [](const std::vector<double>& weights) {
    return std::abs(std::accumulate(weights.begin(), weights.end(), -1.0)) < tolerance;
  };
  lesson.check("the weights of each query sum to 1", std::all_of(draft.weights.begin(), draft.weights.end(), sum_to_1));
  const std::size_t last = draft.visited.size() - 1;
  Draft other = draft;
  std::fill_n(other.k.view().row(last), 16, 1.0);
  forward(other);
  const View<const double> before = draft.out.view(), after = other.out.view();
  lesson.check("another last key changes nothing before it",
               agree(before.slice_rows(0, last), after.slice_rows(0, last), 0));
}

// --- A model of src --------------------------------------------------------------------------------------------------

/// Whether in a model of so many layers another letter at position s changes the logits at t exactly where t hears of
/// s.
template <class LayersNeeded>
bool hears(const Config& config, PythonRandom random, LayersNeeded layers_needed) {
  const TensorModel<double> model(config, initialize(config, {.init_std = 0.3}, random));
  const std::size_t T = config.block_size;
  auto logits = [&](std::size_t changed) {
    std::vector<Token> tokens(T + 1, 0);
    tokens[changed] = 1;
    Batch batch(T);
    batch.add(tokens);
    Activations<double> activations;
    activations.resize(model, T);
    gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
    return activations.logits;
  };
  const Layers layers = layers_needed(keys_of(model.mask, T));
  const Tensor<double> unchanged = logits(T);  // the last letter is only to be predicted
  bool as_needed = true;
  for (std::size_t s = 0; s < T; s++) {
    const Tensor<double> changed = logits(s);
    for (std::size_t t = 0; t < T; t++) {
      const double* row = changed.view().row(t);
      const bool hears_of_s = !std::equal(row, row + config.vocab_size, unchanged.view().row(t));
      as_needed = as_needed && hears_of_s == (s <= t && layers[t][s] <= config.n_layer);
    }
  }
  return as_needed;
}

/// The same for all patterns and 1 to 3 layers.
template <class LayersNeeded>
bool all_hear(const std::vector<MaskPattern>& patterns, const PythonRandom& random, LayersNeeded layers_needed) {
  return std::all_of(patterns.begin(), patterns.end(), [&](const MaskPattern& p) {
    bool all = true;
    for (const std::size_t L : {1, 2, 3}) {
      all = all && hears({.vocab_size = 4, .n_layer = L, .mask = p}, random, layers_needed);
    }
    return all;
  });
}

// --- Training --------------------------------------------------------------------------------------------------------

/// Ten times as much training as a lesson has time for.
inline const TrainConfig longer{.num_steps = 10000, .batch_size = 16};

/// Compares models with these masks.
inline void train(const Lesson& lesson, const std::vector<std::string>& specs, const TrainConfig& budget) {
  std::vector<Candidate> candidates;
  for (const std::string& spec : specs) candidates.push_back({spec, {.mask = parse_mask_pattern(spec)}});
  compare(lesson.documents, lesson.tokenizer, candidates, budget).print();
}

// --- Time ------------------------------------------------------------------------------------------------------------

/// Attention of one document of 1024 positions, forward and backward, in float on one thread.
inline void show_times() {
  fmt::print("\nmask            | % kept | us      | x full\n");
  double full = 0;
  for (const char* mask : {"full", "local:128", "block:128", "strided:64:64", "bigbird:64:16:8", "random:8"}) {
    const Measurement m = measure({.what = "attention", .n_embd = 256, .length = 1024, .mask = mask}, {}, {});
    if (full == 0) full = m.us_per_step;
    fmt::print("{:15} | {:6.1f} | {:7.1f} | {:6.1f}\n", mask, m.percent_kept, m.us_per_step, full / m.us_per_step);
  }
}

}  // namespace lesson15
