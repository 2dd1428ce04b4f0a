// Around the idea: what is trained, printed, counted and checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "draft.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/tensor_gradient.h"
#include "lesson/work.h"
#include "picture.h"

namespace lesson18 {

inline Values pair(double a, double b) {
  return Values(2, [&](std::size_t i) { return i == 0 ? a : b; });
}

/// A score on paper, with the matrix on one side and on the other.
inline void show_score(std::size_t h, std::size_t s, const Values& q, const Values& key, double score,
                       const Values& folded, double same) {
  auto text = [](const Values& x) { return fmt::format("({:2.0f} {:2.0f})", x[0].data(), x[1].data()); };
  if (h == 0 && s == 0) {
    fmt::print("\n--- on paper: c is (1 2) at position 0 and (3 1) at position 1 ---\n");
    fmt::print("head | query q | position | key W c | q . key | W^T q   | W^T q . c\n");
  }
  fmt::print("{:4} | {} | {:8} | {} | {:7.0f} | {} | {:9.0f}\n", h, text(q), s, text(key), score, text(folded), same);
}

/// Weights that are larger than usual, so that attention matters.
inline Parameters drawn(Lesson& lesson, const std::vector<Parameters::Shape>& shapes) {
  Parameters parameters(shapes);
  draw_weights(parameters, 0.3, lesson.random);
  return parameters;
}

/// The seven matrices of latent attention.
inline void show_shapes(const Lesson& lesson, const Parameters& latent) {
  lesson.picture("18_fold.svg", fold_picture());
  lesson.picture("18_model.svg", model_picture("Latent attention: seven numbers are kept of each letter",
                                               {{"attention", "kept: 5 and 2", "c, rotary key"}},
                                               "new: c and a rotary key are kept; every head makes its own keys and "
                                               "values from c"));
  lesson.picture("18_way.svg", way_picture());
  lesson.picture("18_kept.svg", kept_picture());
  fmt::print("\n--- the matrices of latent attention ---\n");
  for (const Parameter& p : latent.matrices()) {
    if (p.name.find("attn") == std::string::npos) continue;
    fmt::print("{:9} | {:2} by {:2}\n", p.name.substr(p.name.find("attn")), p.rows, p.cols);
  }
}

/// Plain attention, lesson 15: four matrices, and for each letter a score and a share in the mixture.
inline void show_plain_products() {
  auto products = [](std::size_t T) { return 4 * C * C + 2 * C * T; };
  fmt::print("\n--- numbers kept of a token, and products of attention for the 1st, 16th, ... token ---\n");
  fmt::print("what is kept               | kept |      1 |     16 |     64 |    256\n");
  fmt::print("keys and values            | {:4} | {:6} | {:6} | {:6} | {:6}\n", 2 * H * D, products(1), products(16),
             products(64), products(256));
}

/// How many products attention takes for the 1st, 16th, ... position, counted on the tape.
template <class Keeps>
void show_products(const char* what, std::size_t kept, Keeps attention) {
  if (kept == C) show_plain_products();
  fmt::print("{:26} | {:4}", what, kept);
  const Scope scope;
  const Values x(C, [](std::size_t) { return 1; });
  std::size_t t = 1;
  for (const std::size_t T : {1, 16, 64, 256}) {
    for (; t < T; t++) attention.read(x);
    fmt::print(" | {:6}", products_of([&] { attention.read(x); }));
    t++;
  }
  fmt::print("\n");
}

inline void show_kept() {
  fmt::print("\n--- numbers kept of a token in a layer: here | with the sizes of DeepSeek-V2 ---\n");
  fmt::print("mha: a key and a value for every head      | {:2} | {:5}\n", 2 * H * D, 2 * 128 * 128);
  fmt::print("gqa: for every 2 heads here, 16 there      | {:2} | {:5}\n", 2 * H / 2 * D, 2 * 128 / 16 * 128);
  fmt::print("mqa: one key and one value for all heads   | {:2} | {:5}\n", 2 * D, 2 * 128);
  fmt::print("mla: c and a rotary key                    | {:2} | {:5}\n", L + R, 512 + 64);
}

/// The loss that src/tensor finds with the same weights.
inline double loss_of_src(Config config, const Parameters& draft, std::span<const Token> tokens) {
  config.q_latent = C, config.kv_latent = L, config.rope_dim = R;
  Parameters src(gpt_shapes(config));
  for (const Parameter& p : draft.matrices()) {
    std::copy_n(p.data, p.size(), src[p.name == "layer0.attn_wq" ? "layer0.attn_wuq" : p.name].data);
  }
  for (std::size_t i = 0; i < C; i++) src["layer0.attn_wdq"].row(i)[i] = 1;  // the draft has no latent for queries
  return tensor_gradient(config, src, tokens).loss;
}

/// Makes a loss of parameters, expanded or absorbed.
using LatentLoss = Loss (*)(const StateDict& p, bool absorb);

inline void check_losses(Lesson& lesson, const Config& config, const Parameters& latent, LatentLoss latent_loss) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const Scope scope;
  const StateDict p(latent);
  const LossAndGradient expanded = loss_and_gradient(latent_loss(p, false), p.params, tokens);
  const LossAndGradient absorbed = loss_and_gradient(latent_loss(p, true), p.params, tokens);
  const double src = loss_of_src(config, latent, tokens);
  fmt::print("\n--- the loss of one name, with the same random weights ---\n");
  fmt::print("expanded {:.6f} | absorbed {:.6f} | src/tensor {:.6f}\n", expanded.loss, absorbed.loss, src);
  // Numbers around 1 and sums of some dozens: each rounding is 1.1e-16 of what is summed.
  constexpr double tolerance = 1e-12;
  lesson.check("absorbed has the loss of expanded", std::abs(absorbed.loss - expanded.loss) < tolerance);
  lesson.check("and its gradients", largest_difference(absorbed.gradient, expanded.gradient) < tolerance);
  lesson.check("src/tensor has that loss", std::abs(src - expanded.loss) < tolerance);
}

/// Trains latent attention expanded, and evaluates it absorbed.
inline void show_trained(const Lesson& lesson, const Config& config, LatentLoss latent_loss) {
  fmt::print("\n--- trained: mla expanded, and then evaluated absorbed ---\n");
  const auto expanded = [&](const StateDict& p) { return latent_loss(p, false); };
  const auto absorbed = [&](const StateDict& p) { return latent_loss(p, true); };
  const std::vector<DraftForm> forms{plain_form("mha", config), {"mla", latent_shapes(config), expanded, absorbed}};
  print(train_drafts(lesson, forms, 1000), 1000);
  fmt::print("\n");
}

}  // namespace lesson18
