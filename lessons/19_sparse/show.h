// Around the idea: what is printed, drawn, trained, timed and checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "draft.h"
#include "draw/plot.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/processor_time.h"
#include "lesson/tensor_gradient.h"
#include "picture.h"

namespace lesson19 {

/// How a draft attends: it computes all scores and hides some, or skips those, or reads position by position and keeps
/// a window.
enum class How { hide, skip, cache };
using MakeGpt = DraftGpt (*)(const Config& config, const StateDict& p, How how);

/// The values of these positions, each times its weight, added up.
inline Values mixed(const Values& weights, const Rows& values, const std::vector<std::size_t>& positions) {
  return Values(values[0].size(), [&](std::size_t j) {
    return dot(weights, Values(positions.size(), [&](std::size_t i) { return values[positions[i]][j]; }));
  });
}

inline void show_weights(std::size_t t, const Values& hiding, const Values& skipping) {
  if (t == 0) {
    fmt::print("\n--- a window of 2, all scores 0: the weights of each letter of maria ---\n");
    fmt::print("  | {:35} | skipping\n", "hiding");
  }
  fmt::print("{} | {} | {}\n", "maria"[t], numbers(hiding), numbers(skipping));
}

inline void show_layer(int layer, const std::vector<double>& x) {
  if (layer == 0) fmt::print("\n--- how much of each position is the m ---\n");
  fmt::print("after layer {} | {:6} {:6} {:6} {:6} {:6}\n", layer, x[0], x[1], x[2], x[3], x[4]);
}

inline void show_patterns(const Lesson& lesson) {
  std::vector<std::string> letters;
  for (const Token token : lesson.tokens_of_step(1)) letters.push_back(lesson.tokenizer.label(token));
  letters.pop_back();  // nothing looks back from the end
  lesson.picture("19_patterns.svg", patterns_picture(letters));
}

/// How many pairs of a query and a key are left, and how far the last of them hears.
inline void show_pairs() {
  fmt::print("\n--- pairs of a query and a key, by positions; layers until the last of 64 has heard of all ---\n");
  fmt::print("pattern       |    16 |    64 |   256 |   1024 | layers\n");
  for (const std::string spec : {"full", "local:3", "strided:2:3", "global:2:1", "block:3", "bigbird:2:1:1"}) {
    auto pairs = [&](std::size_t T) {
      std::size_t n = 0;
      for (const auto& keys : visible_keys(parse_mask_pattern(spec), T)) n += keys.size();
      return n;
    };
    const auto last = heard_in_layer(visible_keys(parse_mask_pattern(spec), 64))[63];
    const std::size_t layers = *std::max_element(last.begin(), last.end());
    fmt::print("{:13} | {:5} | {:5} | {:5} | {:6} | {}\n", spec, pairs(16), pairs(64), pairs(256), pairs(1024),
               layers == never ? " never" : fmt::format("{:6}", layers));
  }
}

/// The loss of a name by the draft, in each way, beside that of src/tensor with the same weights.
inline void check_losses(Lesson& lesson, MakeGpt sparse_gpt) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters(gpt_shapes(config));
  draw_weights(parameters, 0.3, lesson.random);
  const StateDict p(parameters);
  for (const std::string pattern : {"full", "local:3", "strided:2:3", "global:2:1", "block:3"}) {
    config.mask = parse_mask_pattern(pattern);
    const double src = tensor_gradient(config, parameters, tokens).loss;
    auto check = [&](const std::string& way, How how) {
      const Scope scope;
      const double loss = sparse_gpt(config, p, how).loss(tokens).data();
      // Numbers around 1 and sums of some dozens: each rounding is 1.1e-16 of what is summed.
      lesson.check(pattern + ", " + way + ": the loss of src/tensor", std::abs(loss - src) < 1e-12);
    };
    check("hiding", How::hide);
    check("skipping", How::skip);
    if (pattern == "local:3") check("with a cache of 3", How::cache);
  }
}

/// Each pattern is trained by skipping, one also by hiding. All are evaluated by skipping.
inline void show_trained(const Lesson& lesson, MakeGpt sparse_gpt) {
  auto form = [&](const std::string& pattern, const std::string& what = "", How how = How::skip) {
    const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .mask = parse_mask_pattern(pattern)};
    const auto training = [=](const StateDict& p) { return sparse_gpt(config, p, how).as_loss(); };
    const auto evaluation = [=](const StateDict& p) { return sparse_gpt(config, p, How::skip).as_loss(); };
    return DraftForm{pattern + what, gpt_shapes(config), training, evaluation};
  };
  fmt::print("\n--- trained ---\n");
  print(train_drafts(
            lesson,
            {form("full"), form("local:1"), form("local:2"), form("local:2", ", hiding", How::hide), form("block:3")},
            1000),
        1000);
}

inline void show_long_training(const Lesson& lesson) {
  fmt::print("\n--- trained by src/tensor with 160 times as many names; this takes ten seconds or more ---\n");
  const Config local_2{.mask = parse_mask_pattern("local:2")}, local_3{.mask = parse_mask_pattern("local:3")};
  compare(lesson.documents, lesson.tokenizer, {{"full", {}}, {"local:2", local_2}, {"local:3", local_3}},
          {.num_steps = 10000, .batch_size = 16})
      .print();
}

/// How long the attention of one layer of src/tensor takes, in milliseconds: 8 heads of 64 numbers answer queries
/// first_query to T - 1.
inline double time_of(std::size_t first_query, std::size_t T, const Mask& mask) {
  constexpr std::size_t H = 8, D = 64;
  const std::size_t n = T - first_query;
  Tensor<float> q(n, H * D), k(T, H * D), v(T, H * D), out(n, H * D), log_sum(H, n);
  const AttentionCall<float> call{.q = q.view(),
                                  .k = k.view(),
                                  .v = v.view(),
                                  .n_head = H,
                                  .n_kv_head = H,
                                  .scale = 1 / std::sqrt(static_cast<double>(D)),
                                  .mask = mask,
                                  .first_query = first_query};
  return processor_time([&] { fast<float>().attention_forward(out.view(), log_sum.view(), call); });
}

/// With TIMES=1: a whole text, and one more token, with and without a window.
inline void show_times() {
  constexpr std::size_t W = 128;
  fmt::print("\nattention of one layer, in ms  | a whole text       | one more token     | cache, KB\n");
  fmt::print("tokens                         |     full | window  |     full | window  |  full | window\n");
  for (const std::size_t T : {256, 1024, 4096}) {
    const Mask window = Mask::of({.window = W}, T);
    auto kilobytes = [](std::size_t rows) { return 2 * rows * 512 * sizeof(float) / 1024; };
    fmt::print("{:30} | {:8.2f} | {:7.2f} | {:8.3f} | {:7.3f} | {:5} | {:6}\n", T, time_of(0, T, Mask::causal()),
               time_of(0, T, window), time_of(T - 1, T, Mask::causal()), time_of(W - 1, W, Mask::causal()),
               kilobytes(T), kilobytes(W));
  }
}

}  // namespace lesson19
