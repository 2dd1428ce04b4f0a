// Around the idea: what is printed, trained, timed and checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/python_random.h"
#include "by_hand.h"
#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/processor_time.h"
#include "lesson/tensor_gradient.h"
#include "picture.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// Which head of keys and values each query head reads.
inline void show_groups(const Lesson& lesson, std::size_t (*kv_head)(std::size_t, std::size_t, std::size_t)) {
  lesson.picture("16_heads.svg", heads_picture(kv_head));
  lesson.picture("16_model.svg", model_picture("Heads that share keys and values: only attention changes",
                                               {{"attention", "q: 16, k, v: 8", "4 heads read 2"}},
                                               "new: fewer numbers for keys and values, so a smaller cache"));
  fmt::print("\n--- which head of keys and values a query head reads ---\nquery head  | 0 1 2 3 4 5 6 7\n");
  for (const std::size_t G : {8, 4, 2, 1}) {
    fmt::print("{} to read   |", G);
    for (std::size_t h = 0; h < 8; h++) fmt::print(" {}", kv_head(h, 8, G));
    fmt::print("\n");
  }
  fmt::print("\n--- two query heads on paper ---\n");
}

/// What two heads of two numbers find, and the slopes of the first key: on the tape, and by hand.
inline void show_found(const char* what, const Values& found, const Values& key, const Array& by_hand) {
  fmt::print("{}: head 0 finds ({:.2f}, {:.2f}), head 1 ({:.2f}, {:.2f})\n", what, found[0].data(), found[1].data(),
             found[2].data(), found[3].data());
  fmt::print("  slopes of the first key:");
  for (const Value number : key) fmt::print(" {:.3f}", number.grad());
  fmt::print("; by hand:");
  for (std::size_t j = 0; j < by_hand.cols; j++) fmt::print(" {:.3f}", by_hand[0][j]);
  fmt::print("\n");
}

/// Six query heads of five numbers read G heads, at four positions: are the slopes by hand those of the tape?
inline void check_by_hand(Lesson& lesson, std::size_t G,
                          Values (*attend)(Values, const Rows&, const Rows&, std::size_t, std::size_t),
                          void (*attend_back)(const Array&, const Heads&, std::size_t, std::size_t, Heads&)) {
  constexpr std::size_t H = 6, D = 5, n = 4;
  PythonRandom random(1);
  auto drawn = [&](std::size_t rows, std::size_t cols) {
    Array x(rows, cols);
    std::generate(x.data.begin(), x.data.end(), [&] { return random.gauss(0, 1); });
    return x;
  };
  const Heads heads{drawn(1, H * D), drawn(n, G * D), drawn(n, G * D)};
  const Array dx = drawn(1, H * D);
  const Scope scope;
  const Rows q = values_of(heads.q), k = values_of(heads.k), v = values_of(heads.v);
  dot(attend(q[0], k, v, H, G), values_of(dx)[0]).backward();
  Heads slopes = zeros_like(heads);
  attend_back(dx, heads, H, G, slopes);
  auto same = [](const Rows& rows, const Array& by_hand) {
    for (std::size_t t = 0; t < rows.size(); t++) {
      for (std::size_t j = 0; j < by_hand.cols; j++) {
        if (!(std::abs(rows[t][j].grad() - by_hand[t][j]) < 1e-12)) return false;
      }
    }
    return true;
  };
  lesson.check(fmt::format("6 heads read {}: the slopes by hand are those of the tape", G),
               same(q, slopes.q) && same(k, slopes.k) && same(v, slopes.v));
}

/// The width of all keys of a position, and what a mistaken formula makes of it.
inline void show_widths() {
  fmt::print("\n--- how wide all keys of a position are, C = 64 ---\n");
  fmt::print("query heads | heads of keys | G * (C / H) | C / G\n");
  for (const std::size_t H : {4, 16}) {
    for (std::size_t G = H; G > 0; G /= 2) {
      const std::size_t right = G * (64 / H), wrong = 64 / G;
      fmt::print("{:11} | {:13} | {:11} | {:5} {}\n", H, G, right, wrong,
                 wrong < right   ? "too narrow"
                 : wrong > right ? "too wide"
                                 : "the same");
    }
  }
}

/// Published models: what they keep of 4096 tokens, and what they would keep without sharing. Two bytes a number.
inline void show_published() {
  fmt::print("\n--- 4096 tokens in published models ---\n");
  fmt::print("model       | layers | width | query heads | heads of keys and values | cache, MiB | without sharing\n");
  for (const std::string name : {"llama2-7b", "llama2-13b", "llama2-70b", "llama3-8b", "falcon-7b"}) {
    const PublishedModel& model = published_model(name);
    auto mebi = [](const PublishedModel& of) { return cache_bytes(of.attention, of.n_layer, 4096, 2).value() >> 20; };
    fmt::print("{:11} | {:6} | {:5} | {:11} | {:24} | {:10} | {:15}\n", name, model.n_layer, model.attention.n_embd,
               model.attention.n_head, model.attention.n_kv_head, mebi(model), mebi(with_attention(model, "mha")));
  }
}

constexpr std::size_t num_names = 5000;

using Shapes = std::vector<Parameters::Shape> (*)(const Config&);
using MakeAttention = Attention (*)(const Config&, const StateDict&);

/// The draft learns names with G heads of keys and values. Then it is evaluated on others, and its weights are
/// loaded into src/tensor, which is asked the same.
inline void show_draft(Lesson& lesson, std::size_t G, Shapes shapes, MakeAttention attention) {
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_kv_head = G};
  Parameters parameters(shapes(config));
  PythonRandom random(1);
  draw_weights(parameters, 0.08, random);
  const std::vector<double> before(parameters.data().begin(), parameters.data().end());
  const Scope scope;
  const StateDict p(parameters);
  const Loss loss = DraftGpt(p, {attention(config, p)}).as_loss();
  train(loss, p.params, adam_optimizer({}, parameters.size()), lesson.documents, lesson.tokenizer,
        {.num_steps = num_names});
  copy_data(p.params, parameters);

  const std::vector<Document> names = lesson.held_out(num_names);
  const double held_out = mean_over_predictions(document_losses(loss, names, lesson.tokenizer), names);
  std::size_t unmoved = 0;  // weights of keys and values that training never touched
  for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"}) {
    const Parameter& w = parameters[name];
    for (std::size_t i = 0; i < w.size(); i++) unmoved += w.data[i] == before[w.data + i - parameters.data().data()];
  }
  const std::size_t width = parameters["layer0.attn_wk"].rows;
  fmt::print("{:8} | {:10} | {:11} | {:5} | {:13.3f}", G, parameters.size(), unmoved, 2 * width * sizeof(double),
             held_out);
  if (parameters.size() != num_parameters(config)) {
    fmt::print(" | its matrices do not fit\n");
    return lesson.check(fmt::format("G = {}: as many parameters as in src/", G), false);
  }
  TensorModel<double> elsewhere(config, parameters);
  fmt::print(" | {:.3f}\n", token_loss(elsewhere, names, lesson.tokenizer, 1));
  check_beside_tensor(lesson, fmt::format("G = {}: ", G), loss, p.params, config, parameters);
}

inline void show_drafts(Lesson& lesson, Shapes shapes, MakeAttention attention) {
  fmt::print("\n--- the draft, after {} names; cache: bytes of a position, in double ---\n", num_names);
  fmt::print("kv heads | parameters | never moved | cache | held-out loss | in src/\n");
  for (const std::size_t G : {1, 2, 4}) show_draft(lesson, G, shapes, attention);
}

/// Each form is trained with three seeds by src/. How much higher is its held-out loss than that of MHA?
inline void show_comparison(const Lesson& lesson) {
  const Comparison forms = compare(lesson.documents, lesson.tokenizer,
                                   {{"mha", {}}, {"gqa, 2 of 4", {.n_kv_head = 2}}, {"mqa", {.n_kv_head = 1}}});
  const Outcome& mha = forms.outcomes[0];
  fmt::print("\n--- 16000 names, seeds 1, 2 and 3: how much higher than mha is the held-out loss? ---\n");
  for (const Outcome& form : std::span(forms.outcomes).subspan(1)) {
    fmt::print("{:11} |", form.label);
    for (std::size_t seed = 0; seed < num_seeds; seed++)
      fmt::print(" {:+.3f}", form.held_out[seed] - mha.held_out[seed]);
    const Difference of = difference(form.held_out, mha.held_out);
    fmt::print(" | {:.3f} +- {:.3f}: {}\n", of.mean, of.margin, of.is_clear() ? "higher" : "cannot tell");
  }
}

/// With TIMES=1: how many times a second the attention of one layer, 32 query heads of 64 numbers, answers a query.
inline void show_throughput() {
  constexpr std::size_t H = 32, D = 64;
  fmt::print("\ntokens per second in one layer, 32 query heads, by heads of keys and values\n");
  fmt::print(" cached |     32 |      8 |      1 | cache of 32, MB\n");
  for (const std::size_t n : {128, 1024, 8192}) {
    fmt::print("{:7}", n);
    for (const std::size_t G : {32, 8, 1}) {
      Tensor<float> q(1, H * D), k(n, G * D), v(n, G * D), out(1, H * D), log_sum(H, 1);
      const Mask mask = Mask::causal();
      const AttentionCall<float> call{.q = q.view(),
                                      .k = k.view(),
                                      .v = v.view(),
                                      .n_head = H,
                                      .n_kv_head = G,
                                      .scale = 1 / std::sqrt(static_cast<double>(D)),
                                      .mask = mask,
                                      .first_query = n - 1};
      const double ms = processor_time([&] { fast<float>().attention_forward(out.view(), log_sum.view(), call); });
      fmt::print(" | {:6.0f}", 1000 / ms);
    }
    fmt::print(" | {:15.1f}\n", static_cast<double>(2 * n * H * D * sizeof(float)) / 1e6);
  }
}

}  // namespace microgpt
